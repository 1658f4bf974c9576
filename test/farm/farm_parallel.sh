#!/usr/bin/env bash
# GNU parallel: as many processes as it likes, and one job after another as a list of commands.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
need parallel
export PARALLEL_HOME=$folder/.parallel
seq 3 | parallel -j 3 -N0 "$SUPPLE" batch jobs.jsonl -o shared > .stdout 2> .stderr || fail "parallel: $(tail -3 .stderr)"
err "shard 1 (PARALLEL_SEQ)" "shard 3 (PARALLEL_SEQ)"
same shared 2
# the list of commands, without the batch's state
mkdir listed
"$SUPPLE" batch jobs.jsonl -o listed --list | sed "s,^supple,$SUPPLE," | parallel -j 2 > /dev/null 2> .stderr || fail "parallel: $(tail -3 .stderr)"
hashes listed > listed.txt
cmp -s alone.txt listed.txt || fail "the listed commands make something else"
finish
