#!/usr/bin/env bash
# What `make demo` runs, with the program that is being tested. SUPPLE_DEMO: the folder where that was just done, with
# what was said in demo.txt.
# labels: release
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
run 0 methods -q
methods=$(cat "$folder/.stdout")
run 0 methods --json
json 0.name=lbs 1.name=dqs
run 0 methods
out lbs "linear blend" dqs
command_line="scripts/demo.sh"
demo=${SUPPLE_DEMO:-$folder/out}
if [ -n "${SUPPLE_DEMO:-}" ]; then
	cp "$demo/demo.txt" "$folder/.stdout"
else
	SUPPLE_OUT="$demo" SUPPLE_SIZE=128x72 bash "$SUPPLE_SOURCE/scripts/demo.sh" > "$folder/.stdout" 2> "$folder/.stderr" || fail "the demo fails"
	silent stderr
fi
out lbs dqs bunny-walk.png
# linear skinning loses volume in the twist, dual quaternions hardly
awk '$4 == "lost" { loss[$1] = $2 } END { exit !( loss["lbs"] > 5 && loss["dqs"] < loss["lbs"] && loss["dqs"] < 2 ) }' \
	"$folder/.stdout" || { fail "volumes"; cat "$folder/.stdout"; }
for file in bunny-walk.png tube-twist.png $(for m in $methods; do echo bunny-$m.glb bunny-$m.json; done); do
	[ -s "$demo/$file" ] || fail "no $file"
done
if command -v ffmpeg > /dev/null; then
	[ -s "$demo/bunny-shake.mp4" ] || fail "no film"
fi
finish
