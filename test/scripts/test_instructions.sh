#!/usr/bin/env bash
# test_instructions.sh SOURCE: scripts/compare_counts.awk finds what costs more, costs less, is gone and is new.
set -euo pipefail
compare() { awk -f "$source/scripts/compare_counts.awk" -v tolerance=3 "$work/before.csv" "$work/now.csv" > "$work/out"; }
fail() { echo "FAILED: $*"; cat "$work/out"; exit 1; }
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'case,instructions\na,1000\nb on a floor,2000\n' > "$work/before.csv"
printf 'a,1029\nb on a floor,1941\n' > "$work/now.csv"
compare || fail "within the tolerance"
printf 'a,1031\nb on a floor,2000\n' > "$work/now.csv"
if compare || ! grep -q '^a .*MORE' "$work/out"; then fail "more"; fi
printf 'a,1000\nb on a floor,1930\n' > "$work/now.csv"
if compare || ! grep -q '^b on a floor .*less' "$work/out"; then fail "less"; fi
printf 'a,1000\n' > "$work/now.csv"
if compare || ! grep -q '^b on a floor: no longer' "$work/out"; then fail "gone"; fi
printf 'a,1000\nb on a floor,2000\nc,1\n' > "$work/now.csv"
if compare || ! grep -q '^c .*not in the list' "$work/out"; then fail "new"; fi
