#!/usr/bin/env bash
# Several nodes, played on one machine: host names and process numbers of their own (namespaces), so that no node can look
# at the processes of another; clocks that are hours apart; one folder. Then a node dies in mid-run.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
need unshare
space=(unshare --pid --uts --mount --fork --kill-child --mount-proc)
"${space[@]}" hostname probe 2> /dev/null || skip "namespaces need more rights"

# node NAME SHIFT WORD... &: supple on a node whose clock is SHIFT seconds fast. In place of its shell, so that $! is the
# node itself and goes with everything in it when it is killed.
node() {
	local name=$1 shift=$2
	shift 2
	exec "${space[@]}" sh -c 'hostname "$1"; shift; exec "$@"' - "$name" env LD_PRELOAD="$BROKEN_FOLDER" CLOCK_SHIFT="$shift" "$SUPPLE" "$@"
}
records() { cat "$1"/.supple-batch/journal/*.jsonl; }

node east 7200 batch jobs.jsonl -o shared -q --shard 1/3 & first=$!
node west -86400 batch jobs.jsonl -o shared -q --shard 2/3 & second=$!
node here 0 batch jobs.jsonl -o shared -q --shard 3/3 & third=$!
wait $first && wait $second && wait $third || fail "a node failed"
same shared 2
[ "$(records shared | grep -o '"name":"[^"]*"' | sort | uniq -d | wc -l)" -eq 0 ] || fail "a job was done twice although no node died"
records shared | grep -qE '"owner":"(east|west)-1-' || fail "no result of a node whose clock is wrong"

# slower jobs, of which the node that dies has one
cat > slow.jsonl << 'END'
{"character": "builtin:bunny", "clip": ["Walk", "Run", "Jump"], "method": "lbs", "fps": [60, 61, 62, 63], "output": "{clip}-{fps}.glb"}
END
"$SUPPLE" batch slow.jsonl -o calm -q || fail "undisturbed"
hashes calm > calm.txt
node dying 3600 batch slow.jsonl -o wild -q --workers 1 & dying=$!
for ((i = 0; i < 600; ++i)); do ls wild/.supple-work-* > /dev/null 2>&1 && break; sleep 0.02; done
"$SUPPLE" batch status slow.jsonl -o wild > .stdout
command_line="supple batch status"
out "on dying, process 1, since"
kill -9 $dying
wait $dying 2> /dev/null
before=$(records wild 2> /dev/null | wc -l)
sleep 1
[ "$(records wild 2> /dev/null | wc -l)" -eq "$before" ] || fail "the node is not dead: nothing is tested"
ls wild/.supple-batch/claims/* > /dev/null 2>&1 || fail "the dead node has left no claim: nothing is tested"
start=$SECONDS
(node heir -3600 batch slow.jsonl -o wild --stale 3) > .stdout 2> .stderr || fail "the other node failed"
command_line="supple batch on the other node"
out "12 of 12 jobs done"
[ $((SECONDS - start)) -ge 2 ] || fail "the job of a silent node was taken over before it can be called dead"
hashes wild > wild.txt
cmp -s calm.txt wild.txt || fail "results differ from undisturbed ones"
left=$(find wild \( -name '.supple-work-*' -o -path '*/claims/*' -o -path '*/owners/*' \) -print)
[ -z "$left" ] || fail "left behind: $left"
finish
