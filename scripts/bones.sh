#!/usr/bin/env bash
# scripts/bones.sh [RESULTS.csv]: bench_bones, in one run with Dem Bones on the same frames where its headers lie in
# ../shared/anchors/dem-bones (or in the folder that DEM_BONES names).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh bones
headers=${DEM_BONES:-../shared/anchors/dem-bones}
if [ -f "$headers/race.cpp" ]; then
	driver=$PWD/build/bench/dem_bones
	[ "$driver" -nt "$headers/race.cpp" ] ||
		g++ -O3 -march=native -fopenmp -w -I/usr/include/eigen3 -I"$headers" "$headers/race.cpp" -o "$driver"
	export SUPPLE_DEM_BONES=$driver
else
	echo "bones: no Dem Bones in $headers, not raced"
fi
cmake --build build --target bench_bones
build/bench/bench_bones "$@"
