#!/bin/sh
# Builds and runs every benchmark, or those that are named. Tables go to the terminal, results to build/bench/*.csv, curves over them to
# build/bench/*.svg; PLOTS=docs/plots puts the curves where the documentation shows them.
# Usage: scripts/bench.sh [NAME...]    for example: scripts/bench.sh skinning
set -eu
cd "$(dirname "$0")/.."

commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
if [ "$commit" != unknown ] && ! git diff --quiet HEAD 2>/dev/null; then
	commit="$commit-modified"
fi
export SUPPLE_COMMIT="$commit"
# CHOLMOD, a rival, is three times slower with the threads that it starts unasked
export OMP_THREAD_LIMIT=1

[ -f build/build.ninja ] || make --no-print-directory all
targets=benches
if [ $# -gt 0 ]; then
	targets=bench_curves
	for name in "$@"; do targets="$targets bench_$name"; done
fi
# shellcheck disable=SC2086 # several words
cmake --build build --target supple_tool $targets

found=0
for program in build/bench/bench_*; do
	case "$program" in *.csv) continue ;; esac
	[ -x "$program" ] || continue
	name=$(basename "$program")
	name=${name#bench_}
	if [ $# -gt 0 ]; then
		case " $* " in *" $name "*) ;; *) continue ;; esac
	fi
	found=1
	echo "== $name ($commit)"
	"$program" "build/bench/$name.csv"
	echo
done
if [ "$found" = 0 ]; then
	echo "bench.sh: no such benchmark" >&2
	exit 1
fi
plots=${PLOTS:-build/bench}
if [ -x build/bench/plot ]; then
	mkdir -p "$plots"
	build/bench/plot "$plots" build/bench/*.csv
fi
echo "results: build/bench/*.csv"
