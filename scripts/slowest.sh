#!/usr/bin/env bash
# slowest.sh BUILD [--write]: the slowest tests of the last run of ctest in BUILD, seconds of wall time. --write renews
# test/costs.txt with them, by which ctest starts the longest tests first where it has not run before.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
log=$1/Testing/Temporary/LastTest.log
[ -s "$log" ] || { echo "slowest: ctest has not run in $1" >&2; exit 1; }
times() { awk '/ Testing: / { name = $3 } /^Test time = / { print name, $4 }' "$log" | LC_ALL=C sort -k2,2nr -k1,1; }
if [ "${2:-}" = --write ]; then
	{ grep '^#' test/costs.txt; times | awk '$2 >= 1 { printf "%s %.0f\n", $1, $2 }'; } > test/costs.new
	mv test/costs.new test/costs.txt
fi
echo "The slowest of $(times | wc -l) tests, $(times | awk '{ sum += $2 } END { printf "%.0f", sum }') s in all:"
times | awk 'NR <= 15 { printf "  %7.1f s  %s\n", $2, $1 }'
