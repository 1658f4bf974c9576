#!/usr/bin/env bash
# What `make demo` runs, with the program that is being tested.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command_line="scripts/demo.sh"
SUPPLE_OUT="$folder/out" bash "$SUPPLE_SOURCE/scripts/demo.sh" > "$folder/.stdout" 2> "$folder/.stderr" || fail "the demo fails"
silent stderr
out "twist 180" linear dual "$folder/out/tube.glb"
# the table's numbers: linear skinning loses volume in the twist, dual quaternions hardly
awk '$1 == "twist" { loss[$3] = $5 } END { exit !( loss["linear"] < 95 && loss["dual"] > loss["linear"] && loss["dual"] < 101 ) }' \
	"$folder/.stdout" || { fail "volumes"; cat "$folder/.stdout"; }
# every file that it names is there
for file in $(grep -oE "$folder/out/[a-z-]+\.glb" "$folder/.stdout" | sort -u); do
	[ -s "$file" ] || fail "no $file"
done
[ "$(ls "$folder/out"/*.glb | wc -l)" -eq 6 ] || fail "files in out/: $(ls "$folder/out")"
finish
