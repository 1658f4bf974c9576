#!/usr/bin/env bash
# A real network file system: two nodes that each mount one folder by SFTP, with caches of their own, and know nothing of
# each other; then a server that cannot rename over a file.
# mounts of its own, which go with this process
if [ -z "${OWN_MOUNTS:-}" ] && unshare --mount true 2> /dev/null; then
	OWN_MOUNTS=1 exec unshare --mount bash "${BASH_SOURCE[0]}"
fi
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -n "${OWN_MOUNTS:-}" ] || skip "mounting needs more rights"
need sshfs unshare fusermount3
server=/usr/lib/openssh/sftp-server
[ -x $server ] || skip "$server is not installed (scripts/setup.sh farm)"
mkdir served one two
# in place of ssh: the server itself, at the other end of a pipe
printf '#!/bin/sh\nexec %s $SERVER_OPTIONS\n' $server > connect
chmod +x connect
share() { SERVER_OPTIONS=${2:-} sshfs -o ssh_command="$folder/connect" "server:$folder/served" "$folder/$1"; }
share one && share two || skip "FUSE needs more rights"
trap 'cd /; fusermount3 -u "$folder/one"; fusermount3 -u "$folder/two"; rm -rf "$folder"' EXIT
# node NAME WORD... &: in place of its shell, as in farm_nodes.sh
node() {
	local name=$1
	shift
	exec unshare --pid --uts --mount --fork --kill-child --mount-proc sh -c 'hostname "$1"; shift; exec "$@"' - "$name" "$SUPPLE" "$@"
}
node one batch jobs.jsonl -o one/baked -q & first=$!
node two batch jobs.jsonl -o two/baked -q & second=$!
wait $first && wait $second || fail "a node failed"
# on the server: the mounts may show folders as they were up to 20 s ago, which can cost a job done twice, but no result
same served/baked 2
# on the server as on the nodes: all is done, though times of files are whole seconds over SFTP
run 0 batch jobs.jsonl -o served/baked
out "(0 now"

# a node dies, and its job is taken over through the other mount
node dying batch jobs.jsonl -o one/wild -q --workers 1 & dying=$!
for ((i = 0; i < 600; ++i)); do ls served/wild/.supple-batch/claims/*.0 > /dev/null 2>&1 && break; sleep 0.01; done
kill -9 $dying
wait $dying 2> /dev/null
(node heir batch jobs.jsonl -o two/wild -q --stale 3) || fail "the other node failed"
same served/wild 1

# a server without atomic renaming
fusermount3 -u one && share one "-P posix-rename" || fail "cannot mount again"
run 3 batch jobs.jsonl -o one/refused
err "this file system cannot replace a file by renaming" "use an output folder on another file system"
[ -z "$(find served/refused -name '*.glb')" ] || fail "baked into a folder without atomic renaming"
finish
