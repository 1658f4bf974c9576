#!/usr/bin/env bash
# supple render: pictures, sheets, films.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4 "x" $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'; }

run 0 render builtin:tube -o "$folder/a.png" --size 160x90
out "160 x 90" "1 frame"
[ "$(png_size "$folder/a.png")" = 160x90 ] || fail "size of the picture"
run 0 render builtin:tube -o "$folder/b.png" --size 160x90 --threads 1 --json
json width=160 height=90 frames=1 panels=1
cmp -s "$folder/a.png" "$folder/b.png" || fail "the picture depends on the number of threads"
run 0 render builtin:tube -o "$folder/c.png" --size 160x90 --overlay skeleton,wireframe --view 10,20
cmp -s "$folder/a.png" "$folder/c.png" && fail "overlays change nothing"
run 0 render builtin:tube -o "$folder/c.png" --size 160x90 --overlay stretch --method lbs,dqs --clip twist --time 1 --json
json panels=2
for overlay in displacement volume softness; do
	run 0 render builtin:tube -o "$folder/c.png" --size 160x90 --overlay $overlay --method lbs --clip twist --time 1
done
run 0 render builtin:tube -o "$folder/c.png" --size 160x90 --overlay layers
cmp -s "$folder/a.png" "$folder/c.png" && fail "layers are not drawn"
run 0 render builtin:tube builtin:tube5 -o "$folder/d.png" --size 200x60 --rest --method lbs --json
json panels=2
run 0 render builtin:tube -o "$folder/e.png" --size 200x100 --sheet 3x2 --clip bend --method lbs --json
json frames=6
[ "$(png_size "$folder/e.png")" = 200x100 ] || fail "size of the sheet"
# panels of what lies go below each other, of what stands side by side
run 0 render builtin:tube -o "$folder/e.png" --size 200x100 --rest --method lbs,dqs --view front --json
json panels=2 rows=2
run 0 render builtin:bunny -o "$folder/e.png" --size 200x100 --rest --method lbs,dqs --view front --json
json panels=2 rows=1
run 0 render builtin:bunny -o "$folder/e.png" --size 100x200 --rest --method lbs,dqs,position,points --json
json panels=4 rows=2
run 0 render builtin:tube -o "$folder/e.png" --size 160x90 --rest --method all --json
json panels=8
# a part of the body, and closer
run 0 render builtin:bunny -o "$folder/g.png" --size 120x80 --rest
run 0 render builtin:bunny -o "$folder/h.png" --size 120x80 --rest --focus Head
cmp -s "$folder/g.png" "$folder/h.png" && fail "--focus changes nothing"
run 0 render builtin:bunny -o "$folder/i.png" --size 120x80 --rest --focus head --zoom 1.5
cmp -s "$folder/h.png" "$folder/i.png" && fail "--zoom changes nothing"
run 1 render builtin:bunny -o "$folder/x.png" --rest --focus Haed
err "no joint 'Haed'" "did you mean: Head"
run 1 render builtin:bunny -o "$folder/x.png" --rest --focus ear
err "no joint 'ear'" LeftEar1 RightEar1
run 1 render builtin:bunny -o "$folder/x.png" --rest --focus zzzzzzzz
err "no joint 'zzzzzzzz'" "supple info"
# the worst places: a row per method and one of skinning
run 0 render builtin:tube -o "$folder/w.png" --size 160x120 --clip bend --method dqs --worst 2 --json
json frames=4 worst.0.method=dqs worst.0.joint worst.0.excess worst.1.time
[ "$(png_size "$folder/w.png")" = 160x120 ] || fail "size of the picture of the worst places"
run 0 render builtin:tube -o "$folder/w2.png" --size 160x120 --clip bend --method lbs,dqs --worst=2 --json
json frames=4
cmp -s "$folder/w.png" "$folder/w2.png" || fail "skinning beside a method changes its worst places"
run 0 render builtin:tube --clip bend --method dqs --worst -o "$folder/w.png" --size 160x120
out "of the size"
run 2 render builtin:tube -o "$folder/x.png" --method lbs --worst
err "--worst compares with lbs"
run 2 render builtin:tube -o "$folder/x.png" --worst 99
err "option --worst: expected a whole number from 1 to 16"
run 2 render builtin:tube -o "$folder/x.mp4" --worst
err "--worst are for pictures"
run 2 render builtin:tube -o "$folder/x.png" --worst 2 --time 1
err "--worst excludes --sheet"
run 2 render builtin:tube builtin:tube5 -o "$folder/x.png" --worst
err "one file"
run 1 render builtin:tube -o "$folder/x.png" --rest --method dqs --worst
err "at every moment"
if command -v ffmpeg > /dev/null; then
	run 0 render builtin:tube -o "$folder/f.mp4" --size 64x36 --fps 5 --clip bend --json
	json frames=11
	run 0 render builtin:tube -o "$folder/f.gif" --size 64x36 --fps 10 --speed 2 --from 0.5 --to 1.5 --method lbs --json
	json frames=6
	# Ctrl-C: the film that was there before stays, and nothing else
	cp "$folder/f.gif" "$folder/kept.gif"
	stop "$folder/f.part.gif" render builtin:tube -o "$folder/f.gif" --size 64x36 --to 1000 --method lbs
	[ $status -eq 5 ] || fail "$command_line: exit status $status"
	err "stopped;" "f.gif was not written"
	cmp -s "$folder/f.gif" "$folder/kept.gif" || fail "a film that was stopped cost the older one"
	[ -z "$(ls "$folder" | grep part || true)" ] || fail "something half-written is left"
else
	echo "no ffmpeg: films are not tested (scripts/setup.sh film)"
fi

run 2 render builtin:tube -o "$folder/x.bmp"
err "must end in one of"
run 2 render builtin:tube -o "$folder/x.png" --size big
err "option --size: expected"
run 2 render builtin:tube -o "$folder/x.png" --sheet 0x3
err "option --sheet: expected"
run 2 render builtin:tube -o "$folder/x.png" --view above
err "option --view: expected"
run 2 render builtin:tube -o "$folder/x.png" --method jelly
err "unknown method 'jelly'" lbs dqs
run 2 render builtin:tube -o "$folder/x.png" --method ""
err "unknown method ''"
run 2 render builtin:tube -o "$folder/x.png" --overlay x-ray
err "unknown overlay"
run 2 render builtin:tube -o "$folder/x.mp4" --time 1
err "are for pictures"
run 2 render builtin:tube -o "$folder/x.mp4" --from 2 --to 1
err "--from (2) must be before --to (1)"
run 2 render builtin:tube -o "$folder/x.mp4" --to 1e30
run 1 render builtin:tube -o "$folder/x.mp4" --to 1e6
err "is more than 1000000 frames"
run 1 render builtin:tube -o "$folder/x.png" --clip jump
err "no clip 'jump'" bend twist
run 3 render builtin:tube -o "$folder/missing/x.png"
[ ! -e "$folder/x.png" ] || fail "a failed command left a picture"
finish
