#!/usr/bin/env bash
# A disk that fills up in mid-run: what is finished stays whole, the message says what to do, and the same command goes on.
# mounts of its own, which go with this process
if [ -z "${OWN_MOUNTS:-}" ] && unshare --mount true 2> /dev/null; then
	OWN_MOUNTS=1 exec unshare --mount bash "${BASH_SOURCE[0]}"
fi
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -n "${OWN_MOUNTS:-}" ] || skip "mounting needs more rights"
need unshare mount
mkdir disk
mount -t tmpfs -o size=24m tmpfs disk || skip "no tmpfs"
cat > big.jsonl << 'END'
{"character": "builtin:bunny", "clip": "*", "method": "lbs", "to": 1, "output": "{clip}.glb"}
END
"$SUPPLE" batch big.jsonl -o calm -q || fail "undisturbed"
hashes calm > calm.txt
[ "$(du -sk calm | cut -f1)" -gt 24576 ] || fail "the results fit: nothing is tested"

# until the disk is full; with two workers, since another bake is running then
for workers in 1 2; do
	rm -rf disk/* disk/.supple-batch
	run 3 batch big.jsonl -o disk --workers $workers
	err "No space left on device" "finished results are safe" "run the same command again"
	[ "$(grep -c 'starting no further jobs' .stderr)" -eq 1 ] || fail "the same is said twice"
	hashes disk > done.txt
	[ -s done.txt ] || fail "nothing was finished before the disk was full"
	[ "$(grep -c -x -F -f done.txt calm.txt)" -eq "$(wc -l < done.txt)" ] || fail "a result on the full disk is not whole"
	left=$(find disk \( -name '.supple-work-*' -o -name '.supple-0*' -o -path '*/claims/*' -o -path '*/owners/*' \) -print)
	[ -z "$left" ] || fail "left behind: $left"
	"$SUPPLE" batch status big.jsonl -o disk > .stdout
	[ $? -eq 5 ] && grep -q " 0 failed" .stdout || fail "a full disk counts as a failure of the job"
done
# full to the last byte: not even a claim or a log has room
cat /dev/zero > disk/ballast 2> /dev/null
run 3 batch big.jsonl -o disk
err "No space left on device"
run 3 batch big.jsonl -o disk --json
rm disk/ballast
# more room: only what is missing is baked
kept=$(wc -l < done.txt)
mount -o remount,size=64m disk
run 0 batch big.jsonl -o disk
all=$(wc -l < calm.txt)
out "$all of $all jobs done ($((all - kept)) now"
hashes disk > full.txt
cmp -s calm.txt full.txt || fail "results differ from undisturbed ones"
cd / && umount "$folder/disk"
finish
