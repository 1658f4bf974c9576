#!/usr/bin/env bash
# Runs every libFuzzer target of build/fuzz for FUZZ_SECONDS (60) each; `scripts/fuzz.sh fuzz_bvh` runs one.
# Seeds: fuzz/seeds/<target>, small real assets where there are any, and what earlier runs found interesting.
# Findings are left in build/fuzz/findings; the exit code says whether there are any.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${FUZZ_SECONDS:-60}
assets=${SUPPLE_ASSETS:-../shared/assets}
findings=build/fuzz/findings
mkdir -p "$findings"

# real files of at most 20 kB, which is what mutation can still work on
collect() {
	local target=$1 folder=$2
	mkdir -p "$folder"
	[ -d "$assets" ] || [ "$target" = fuzz_scene ] || return 0
	case "$target" in
		fuzz_gltf) find "$assets" \( -name '*.glb' -o -name '*.gltf' \) -size -20k -exec cp -f {} "$folder" \; ;;
		# a few frames of a motion say as much as all of them
		fuzz_bvh) find "$assets" -name '*.bvh' | while read -r file; do head -c 30000 "$file" > "$folder/$(basename "$file")"; done ;;
		fuzz_scene) find scenes -name '*.json' -size -20k -exec cp -f {} "$folder" \; ;;
		fuzz_tets) find "$assets" -name '*.mesh' -size -20k -exec cp -f {} "$folder" \; ;;
		fuzz_import) find "$assets" \( -name '*.fbx' -o -name '*.dae' -o -name '*.stl' -o -name '*.obj' \) -size -120k -exec cp -f {} "$folder" \; ;;
	esac
}

status=0
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
	for program in build/fuzz/fuzz_*; do
		# its findings are mostly assimp's own; see fuzz/fuzz_import.c
		[ "$program" != build/fuzz/fuzz_import ] && [ -f "$program" ] && [ -x "$program" ] && targets+=("$(basename "$program")")
	done
fi
for target in "${targets[@]}"; do
	corpus=build/fuzz/corpus/$target
	mkdir -p "$corpus" "fuzz/seeds/$target"
	collect "$target" "build/fuzz/assets/$target"
	dictionary=()
	[ -f "fuzz/$target.dict" ] && dictionary=(-dict="fuzz/$target.dict")
	echo "fuzz: $target for $seconds seconds"
	if ! "build/fuzz/$target" "$corpus" "fuzz/seeds/$target" "build/fuzz/assets/$target" "${dictionary[@]}" \
		-max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=20 -max_len=30000 \
		-artifact_prefix="$findings/$target-" -print_final_stats=1 > "$findings/$target.log" 2>&1; then
		tail -n 40 "$findings/$target.log"
		echo "fuzz: $target found something: $findings"
		status=1
	else
		# what docs/fuzzing.md keeps: runs, places of the code reached, memory
		awk -v target="$target" -v seconds="$seconds" '/cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") cov = $(i + 1) }
			/number_of_executed_units/ { runs = $2 } /peak_rss_mb/ { rss = $2 }
			END { printf "| %s | %s | %s | %s | %s |\n", target, seconds, runs, cov, rss }' "$findings/$target.log"
	fi
done
exit $status
