#!/usr/bin/env bash
# labels: release
# supple compare and supple methods: the same motion with several methods.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run 0 compare builtin:tube --clip twist
out "volume error %" "lbs " "dqs "
run 0 compare builtin:tube --clip twist --method lbs,dqs --json
json frames=61
json panels.0.method=lbs panels.1.method=dqs panels.0.shift_max=0
# a twist costs linear skinning volume and dual quaternions hardly any
awk "BEGIN { exit !($(value panels.0.volume_error_max) > 0.1 && $(value panels.1.volume_error_max) < 0.02) }" || fail "volumes of the twist"
awk "BEGIN { exit !($(value panels.1.shift_max) > 0.01) }" || fail "dual quaternions go where linear skinning goes"
run 0 compare builtin:tube --clip twist --method lbs --report "$folder/r.json" -o "$folder/s.png" --size 120x200 --sheet 1x2 -q
"$JSON_CHECK" frames=61 panels.0.per_frame.#=61 < "$folder/r.json" > /dev/null || fail "report"
[ -s "$folder/s.png" ] || fail "sheet"
if command -v ffmpeg > /dev/null; then
	run 0 compare builtin:tube --clip bend --fps 5 -o "$folder/f.gif" --size 120x60 --quiet
	[ -s "$folder/f.gif" ] || fail "film"
fi

# a baked file beside what it was baked from
run 0 bake builtin:tube --clip twist --fps 15 --method dqs --as bones:8 -o "$folder/bones.glb" -q
run 0 compare builtin:tube --clip twist --fps 15 --method "dqs,file:$folder/bones.glb,lbs" --json
json panels.#=3 panels.0.method=dqs panels.2.method=lbs
# bones come close to what they were made from, and lbs is what it is measured against
for panel in 0 1 2; do shift[$panel]=$(value panels.$panel.shift_max); done
awk -v a="${shift[0]}" -v b="${shift[1]}" -v c="${shift[2]}" 'BEGIN { exit !( a > 0.01 && b > 0.8 * a && b < 1.2 * a && c == 0 ) }' ||
	fail "shift of dqs, its bones and lbs: ${shift[*]}"
run 1 compare builtin:bunny --clip Walk --method "lbs,file:$folder/bones.glb"
err "bones.glb"
run 1 compare builtin:bunny --rest --method "lbs,file:$folder/bones.glb"
err "its meshes differ from those of builtin:bunny"
run 1 compare builtin:tube --method "lbs,file:$folder/none.glb"
err "none.glb"

run 2 compare builtin:tube --method jelly
err "unknown method 'jelly'"
run 2 compare builtin:tube --method lbs:stretch=3
err "the method lbs has no parameter 'stretch'"
run 2 compare builtin:tube --set jelly=1
err "no parameter 'jelly'"
run 2 compare builtin:tube --method lbs --modes
err "the method lbs has no modes"
run 2 compare builtin:tube --modes
err "--modes requires one method"
run 2 compare builtin:tube -o "$folder/x.bmp"
err "must end in one of"
run 1 compare "$folder/missing.glb"
err "missing.glb"

run 0 methods
out "lbs" "dqs"
run 0 methods dqs
out "dual quaternion" "It has no parameters."
run 2 methods jelly
err "unknown method 'jelly'"
run 0 methods lbs --json
json "#=1" 0.name=lbs 0.parameters.#=0
finish
