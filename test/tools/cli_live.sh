#!/usr/bin/env bash
# labels: release
# supple live: streams replayed bit for bit, a tracker in real time, and everything that can be asked wrongly.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
run 2 live builtin:bunny
grep -q "built without liblo" "$folder/.stderr" && skip "built without liblo"
err "requires either --vmc PORT or --replay STREAM"

run 0 convert builtin:bunny -o bunny.glb -q
"$VMC_SENDER" stream walk.vmc 1.2 || fail "no stream"
"$VMC_SENDER" stream damaged.vmc 1.2 damaged || fail "no damaged stream"

# the same stream, the same bits: on any number of threads, and whatever rubbish came in between
for threads in 1 2; do
	run 0 live bunny.glb --replay walk.vmc --threads $threads -o t$threads.pc2 --json
	json malformed=0 bad_messages=0 unknown_bones=0 restarts=0 steps_skipped=0 trouble.not_finite=0
done
[ "$(value frames)" -gt 15 ] || fail "frames: $(value frames)"
[ "$(value joints)" -ge 17 ] || fail "joints: $(value joints)"
[ "$(value steps)" -ge 36 ] || fail "steps: $(value steps)"
packets=$(value packets)
run 0 live bunny.glb --replay damaged.vmc -o d.pc2 --json
json malformed=$((2 * packets)) packets=$((3 * packets))
[ "$(ls t1*.pc2 | wc -l)" -eq 2 ] || fail "caches: $(ls ./*.pc2)"
for cache in t1*.pc2; do
	cmp "$cache" "t2${cache#t1}" || fail "$cache depends on the threads"
	cmp "$cache" "d${cache#t1}" || fail "damaged packets change $cache"
done

# on the ground
run 0 live bunny.glb --replay walk.vmc --seconds 0.5 --method position --touch-self -o self.pc2 -q
run 0 live bunny.glb --replay walk.vmc --seconds 0.5 --method position --floor -o floor.pc2 -q

# flesh, a picture, a document
run 0 live bunny.glb --replay walk.vmc --method lattice --seconds 0.5 --size 160x120 -o last.png
out "packets" "malformed" "16 steps" "last.png"
[ "$(head -c 4 last.png | tail -c 3)" = PNG ] || fail "no picture"
run 0 live bunny.glb --replay walk.vmc --seconds 0.5 -o take.glb -q
silent stdout
run 0 info take.glb --json
json counts.skins=0
grep -q '"name": "Live"' "$folder/.stdout" || fail "no clip Live in take.glb"

# a tracker in real time; what was recorded replays
listen() {
	timeout 60 "$SUPPLE" live bunny.glb --vmc 0 "$@" > live.out 2> live.err < /dev/null &
	listener=$!
	for _ in $(seq 200); do
		port=$(sed -n 's/.*127\.0\.0\.1 port \([0-9]*\);.*/\1/p' live.err)
		[ -n "$port" ] && return
		sleep 0.05
	done
	fail "nobody listens: $(cat live.err)"
}
# send until the file has some of what was sent: a busy machine takes its time
send_until() {
	for _ in $(seq 60); do
		"$VMC_SENDER" send "$port" 0.3
		[ "$(stat -c %s "$1")" -gt 8192 ] && return
	done
	fail "nothing is recorded in $1"
}
listen --record take.vmc -o live.pc2 --json
send_until take.vmc.part
kill -INT $listener
wait $listener || fail "Ctrl-C does not end it well: $? $(cat live.err)"
cp live.out "$folder/.stdout"
command_line="supple live --vmc"
json malformed=0 record=take.vmc
[ "$(value packets)" -gt 10 ] || fail "packets: $(value packets)"
ls live*.pc2 > /dev/null || fail "no cache of what came live"
packets=$(value packets)
run 0 live bunny.glb --replay take.vmc --json
json packets="$packets"

[ ! -e take.vmc.part ] || fail "take.vmc.part is left behind"

# a recording that is killed has all that had come
listen --record killed.vmc
send_until killed.vmc.part
kill -KILL $(cat /proc/$listener/task/$listener/children)
wait $listener && fail "the recording was not killed"
[ ! -e killed.vmc ] || fail "a killed recording has its final name"
run 0 live bunny.glb --replay killed.vmc.part --json
[ "$(value packets)" -gt 10 ] || fail "packets of a killed recording: $(value packets)"
whole=$(value packets)
truncate -s -1 killed.vmc.part
run 0 live bunny.glb --replay killed.vmc.part --json
json packets=$((whole - 1))
run 3 live bunny.glb --vmc 0 --record killed.vmc --seconds 0.1
err "interrupted"
[ -s killed.vmc.part ] || fail "an interrupted recording was overwritten"

# nothing came
run 1 live bunny.glb --vmc 0 --seconds 0.1 -o nothing.pc2
err "nothing received on port"
ls nothing* 2> /dev/null && fail "files of nothing"

# asked wrongly
run 2 live bunny.glb --vmc 0 --replay walk.vmc
run 2 live bunny.glb --replay walk.vmc --record again.vmc
err "--record and --bind require --vmc"
run 2 live bunny.glb --vmc 70000
run 2 live bunny.glb --replay walk.vmc --method lbs,dqs -o a.pc2
err "a cache takes one method"
run 2 live bunny.glb --replay walk.vmc -o a.xyz
run 1 live bunny.glb --vmc 0 --bind nowhere
err "numeric address"
run 1 live bunny.glb --replay missing.vmc
run 1 live bunny.glb --replay bunny.glb
err "not a recorded stream"
head -c 1000 walk.vmc > cut.vmc
run 1 live bunny.glb --replay cut.vmc
err "damaged or cut off"
run 1 live builtin:tube --replay walk.vmc
err "--map"
echo '{ "Hips": "bone0", "Spine": "bone1" }' > map.json
run 1 live builtin:tube --replay walk.vmc --map map.json
err "is no joint of the character"
finish
