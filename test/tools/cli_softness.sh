#!/usr/bin/env bash
# labels: release
# supple softness copy: regions by role and by place for another character, and everything that can be asked wrongly.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
cat > belly.json <<'JSON'
{ "softness": [
  { "name": "belly", "shape": "sphere", "bone": "hips", "center": [0, 0.3, 0.2], "radius": 0.3, "reach": "3 cm" },
  { "name": "thigh", "shape": "capsule", "bone": "leftUpperLeg", "center": [0, 0.2, 0], "end": [0, 0.8, 0], "radius": 0.3 },
  { "name": "ears", "shape": "joint", "joint": "head" } ] }
JSON
run 0 softness copy builtin:bunny builtin:human --settings belly.json -o human.json --json
json output=human.json lost=0
[ "$(grep -c '"bone": "' "$folder/.stdout")" -eq 3 ] || fail "bones of the regions: $(cat "$folder/.stdout")"
run 0 softness copy builtin:human builtin:bunny --settings human.json -o back.json
out "back.json: 3 soft regions" "belly" "thigh"
# what comes out serves a bake, and so does the file with roles itself
for settings in human.json belly.json; do
	run 0 bake builtin:human --clip Walk --to 0.1 --method position --settings $settings -o walk.pc2 --json
	json method=position
done
run 1 softness copy builtin:bunny builtin:human -o none.json
err "no painted softness"
run 1 softness copy builtin:bunny builtin:tube --settings belly.json -o none.json
err "no joint of bunny matches one of tube"
run 2 softness paste builtin:bunny builtin:human -o none.json
err "unknown action 'paste'"
run 2 softness copy builtin:bunny builtin:human -o none.txt
run 2 softness copy builtin:bunny
run 2 softness copy builtin:bunny builtin:human --settings belly.json -o belly.json
[ ! -e none.json ] || fail "a file of nothing"
finish
