#!/usr/bin/env bash
# supple batch under kill -9 of its processes, builders, bakes and the driver itself: nothing is lost, nothing
# half-written, the same bytes as undisturbed. KILLS says how often (25; the bench takes 100).
# labels: release
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
unset SLURM_ARRAY_TASK_ID SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK PARALLEL_SEQ
kills=${KILLS:-25}
rates=$(seq -s, 20 $((20 + kills / 2)))
cat > jobs.jsonl << END
{"character": ["builtin:tube", "builtin:tube5"], "clip": "*", "method": "lbs", "to": 0.3, "fps": [$rates], "output": "{character}-{clip}-{fps}.glb"}
{"character": "builtin:bunny", "clip": ["Walk", "Run"], "method": "lbs", "to": 0.3, "fps": [$rates], "output": "{character}-{clip}-{fps}.glb"}
END
"$SUPPLE" batch jobs.jsonl -o calm -q || fail "undisturbed"
hashes() { (cd "$1" && find . -name .supple-batch -prune -o -type f -print | LC_ALL=C sort | xargs -r sha256sum); }
hashes calm > calm.txt

# all processes below one, and itself
tree() {
	local child
	echo "$1"
	for child in $(cat "/proc/$1/task/$1/children" 2> /dev/null); do tree "$child"; done
}
RANDOM=34
killed=0 drivers=0 rounds=0 restarts=0
while [ $killed -lt "$kills" ] && [ $rounds -lt 50 ]; do
	"$SUPPLE" batch jobs.jsonl -o wild --retry -q 2>> wild.err &
	driver=$!
	restarts=$((restarts + 1))
	while [ $killed -lt "$kills" ] && kill -0 $driver 2> /dev/null; do
		sleep "0.0$((RANDOM % 9 + 1))"
		victims=($(tree $driver))
		victim=${victims[RANDOM % ${#victims[@]}]}
		# the driver itself now and then only, or little else would be seen
		[ "$victim" = "$driver" ] && [ $((RANDOM % 4)) -ne 0 ] && continue
		kill -9 "$victim" 2> /dev/null && killed=$((killed + 1))
		[ "$victim" = "$driver" ] && drivers=$((drivers + 1))
	done
	wait $driver 2> /dev/null
	# all done before enough was killed: some of it again
	if [ $killed -lt "$kills" ] && "$SUPPLE" batch status jobs.jsonl -o wild > /dev/null 2>&1; then
		rounds=$((rounds + 1))
		find wild -name '*.glb' | head -n 60 | xargs rm -f
	fi
done
echo "$killed processes killed, $drivers of them drivers, $restarts starts"
[ $killed -eq "$kills" ] || fail "only $killed killed"
run 0 batch jobs.jsonl -o wild --retry -q
hashes wild > wild.txt
cmp -s calm.txt wild.txt || { fail "results differ from undisturbed ones"; diff calm.txt wild.txt | head -5; }
left=$(find wild \( -name '.supple-work-*' -o -name '.supple-0*' -o -name '*.part*' -o -path '*/claims/*' -o -path '*/owners/*' \) -print)
[ -z "$left" ] || fail "left behind: $left"
finish
