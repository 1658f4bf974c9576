#!/usr/bin/env bash
# instructions.sh [--update]: counts the instructions of a step of every method (bench/instructions.c, under callgrind) and
# compares them with bench/instructions.csv: more than 3 % above is an error, more than 3 % below asks for an update.
# Skips (77) where the counts cannot be the same: another compiler, no AVX2, no valgrind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${BUILD:-build}
reference=${REFERENCE:-bench/instructions.csv}
tolerance=3

skip() { echo "skipped: $1"; exit 77; }
command -v valgrind > /dev/null || skip "no valgrind"
[ -x "$build/bench/instructions" ] || skip "$build/bench/instructions was not built (package valgrind)"
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")
version=$("$compiler" --version | awk 'NR == 1 { print $1 "-" $NF }')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{ "$build/bench/instructions" build "$work" > "$work/built" &&
	valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$work/counts" "$build/bench/instructions" count "$work"; } \
	> "$work/set" 2> "$work/log" || { cat "$work/log"; exit 1; }
set=$(cat "$work/set")
for file in "$work"/counts.*; do
	name=$(sed -n 's/^desc: Trigger: Client Request: //p' "$file")
	# the dump of the program's end has none
	if [ -n "$name" ]; then
		echo "$name,$(sed -n 's/^summary: //p; s/^totals: //p' "$file" | head -1),$set,$version"
	fi
done | LC_ALL=C sort > "$work/now.csv"
[ -s "$work/now.csv" ] || { echo "callgrind counted nothing"; exit 1; }

if [ "${1:-}" = --update ]; then
	{ echo "case,instructions,set,compiler"; cat "$work/now.csv"; } > "$reference"
	cat "$reference"
	exit 0
fi
grep -q ",$set,$version\$" "$reference" || skip "$reference is of $(tail -1 "$reference" | cut -d, -f3-), this is $set,$version"
awk -f scripts/compare_counts.awk -v tolerance=$tolerance "$reference" "$work/now.csv"
