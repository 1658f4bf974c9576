#!/usr/bin/env bash
# labels: release
# How flesh looks on eight characters and motions that nobody tuned for, every method, default settings: nothing torn, crushed or
# far away, and alive where a soft body moves fast. Also scripts/looks.sh, which measures many more.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# What lies in "fast" runs, jumps or swims, and is soft enough for anybody to see it swing.
cat > "$folder/cases.txt" << 'END'
fast fox|$K/Fox.glb|--clip Walk --from 0 --to 1
fast cesium|$K/CesiumMan.glb|--motion $N/cmu_09_01_run.bvh --in-place --from 0.2 --to 1.2
fast bunny|$K/human-bunny.glb|--motion $N/cmu_09_01_run.bvh --in-place --from 0.2 --to 1.2
slow yeti|$K/Yeti/Yeti.gltf|--motion $N/cmu_49_02_jump-hop.bvh --in-place --from 1 --to 2
slow girl|$K/HVGirl.glb|--clip Walking --from 0 --to 1
fast kangaroo|builtin:kangaroo|--clip Run --from 0 --to 1
fast cow|builtin:cow|--clip Jump --from 0 --to 1
fast octopus|builtin:octopus|--clip Swim --from 0 --to 1
END
"$SUPPLE_SOURCE/scripts/looks.sh" --cases "$folder/cases.txt" --only '(fast|slow) ' "$SUPPLE" > "$folder/table" 2> "$folder/notes" ||
	fail "looks.sh: $(cat "$folder/notes")"
cat "$folder/notes" "$folder/table"

# Limits are those of docs/looks.md, which a verdict is made of.
awk -F '|' '
	/^\| (fast|slow) / {
		++count
		for ( i = 3; i <= 7; ++i ) {
			split( $i, cell, " " )
			alive = cell[5]
			if ( cell[1] !~ /^[G0]$/ ) { print "FAILED:" $2 ", column " i - 2 ":" $i; bad = 1 }
			else if ( $2 ~ /fast/ && alive < 0.35 ) { print "FAILED:" $2 ", column " i - 2 ": alive " alive; bad = 1 }
		}
	}
	END { exit bad || count < 3 }' "$folder/table" || fail "looks"

# the counts of all methods, and into a page
mkdir -p "$folder/docs/measured"
cp "$SUPPLE_SOURCE/docs/looks.md" "$folder/docs/looks.md"
cp "$SUPPLE_SOURCE/docs/measured/looks.md" "$folder/docs/measured/looks.md"
"$SUPPLE_SOURCE/scripts/looks.sh" --cases /dev/null --only '^tube bend' --write "$folder/docs/measured/looks.md" "$SUPPLE" > /dev/null || fail "--write"
grep -q '^| tube bend | G ' "$folder/docs/measured/looks.md" || fail "table in the page"
for page in measured/looks.md looks.md; do
	[ "$(grep -c '^| `[a-z]*` | [01] | [01] | [01] | 0 |$' "$folder/docs/$page")" = 6 ] || fail "counts in $page"
done

# the options that all of it is about
run 2 bake builtin:tube --softness 3 -o "$folder/x.pc2"
err "option --softness: expected a number from 0 to 1 (got '3')"
run 2 bake builtin:tube --method lbs --softness 0.3 -o "$folder/x.pc2"
err "option --softness: the method lbs has no flesh"
run 2 render builtin:tube --preset stone -o "$folder/x.png"
err "option --preset: expected firm, standard, jelly or heavy (got 'stone')"
run 0 compare builtin:tube --clip bend --method lbs,position,fem --preset jelly --softness 0 --fps 10 --json
json panels.0.looks.verdict=null panels.0.looks.far=0 panels.0.guard.frames=0 panels.0.guard.joint=null
stone=$(value panels.1.looks.alive)
run 0 compare builtin:tube --clip bend --method lbs,position,fem --softness 0 --preset jelly --fps 10 --json
awk "BEGIN { exit !($(value panels.1.looks.alive) > $stone) }" || fail "the later one wins"
run 0 bake builtin:tube --clip bend --preset standard --fps 10 -o "$folder/a.pc2" --report "$folder/a.json"
out "looks good (torn 0.00"
"$JSON_CHECK" looks.verdict=good looks.torn=0 clips.0.looks.verdict=good parameters.softness=0.5 < "$folder/a.json" > /dev/null || fail "report"
run 0 bake builtin:tube --clip bend --fps 10 -o "$folder/b.pc2"
cmp -s "$folder/a.pc2" "$folder/b.pc2" || fail "the standard preset is not the default"

# both play the same frames
run 0 bake builtin:tube --clip twist --method layered --fps 20 --threads 1 -o "$folder/c.pc2" --json
alive=$(value looks.alive) worst=$(value looks.worst)
run 0 compare builtin:tube --clip twist --method layered --fps 20 --threads 1 --json
[ "$alive $worst" = "$(value panels.0.looks.alive) $(value panels.0.looks.worst)" ] || fail "bake says $alive $worst"

# flesh that hardly holds: the guard steps in, and says where
run 0 bake builtin:tube --clip twist --method points:frequency=0.3 --softness 1 --fps 20 -o "$folder/d.pc2" --report "$folder/d.json"
err "points: flesh was blended toward plain skinning in" "worst near joint 'bone" "try --softness 0.6"
frames=$("$JSON_CHECK" guard.frames < "$folder/d.json") vertices=$("$JSON_CHECK" guard.vertices_max < "$folder/d.json")
[ "$frames" -gt 0 ] && [ "$vertices" -gt 0 ] || fail "guard: $frames frames, $vertices vertices"
run 0 render builtin:tube --clip twist --method points:frequency=0.3 --softness 1 --time 1.5 --size 80x80 -o "$folder/d.png"
err "flesh was blended toward plain skinning in"
finish
