#!/usr/bin/env bash
# supple batch: what a manifest stands for, what is skipped, what goes wrong, and that nothing is lost by it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
unset SLURM_ARRAY_TASK_ID SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK PARALLEL_SEQ
run 0 models tube tube5 --export . -q
# sanitizers reserve terabytes of memory, and want to be loaded first
sanitized=$(nm "$SUPPLE" 2> /dev/null | grep -c __asan_init)

hashes() { (cd "$1" && find . -name .supple-batch -prune -o -type f -name '*.glb' -print | LC_ALL=C sort | xargs -r sha256sum); }
nothing_left() {
	local left
	left=$(find "$1" \( -name '.supple-work-*' -o -name '.supple-0*' -o -name '*.part*' -o -path '*/claims/*' -o -path '*/owners/*' \) -print)
	[ -z "$left" ] || fail "$command_line: left behind: $left"
}
# state STATUS WORD...: supple batch status, which says in its exit status how things stand
state() {
	local wanted=$1 status=0
	shift
	command_line="supple batch status $*"
	"$SUPPLE" batch status "$@" > .stdout 2> .stderr || status=$?
	[ "$status" -eq "$wanted" ] || fail "$command_line: exit status $status, not $wanted"
}
# edit FILE EXPRESSION: as an artist would, content and time
edit() { sed -i "$2" "$1"; }

# ---- what a manifest stands for ----
cat > jobs.jsonl << 'END'
{"character": ["tube.glb", "builtin:tube5"], "clip": "*", "method": "lbs", "to": 0.1}
{"character": "tube.glb", "clip": "bend", "method": ["lbs", "dqs"], "fps": 60, "to": 0.1, "output": "out/{character}-{clip}-{method}.glb"}

{"character": "tube.glb", "motion": "tube.glb", "motion_clip": "twist", "method": "lbs", "to": 0.1, "compress": true, "output": "out/motion.glb"}
END
run 0 batch jobs.jsonl --list
[ "$(wc -l < .stdout)" -eq 7 ] || fail "--list: $(wc -l < .stdout) jobs, not 7"
out "supple bake tube.glb --method=lbs --clip=bend --to=0.1 -o ./baked/tube.bend.glb"
out "builtin:tube5" "--fps=60" "./out/tube-bend-dqs.glb" "--motion=tube.glb --motion-clip=twist" "--compress"
[ ! -e out ] && [ ! -e .supple-batch ] || fail "--list has made something"
# the same as an array and as CSV
printf '[\n{"character": "tube.glb", "clip": "bend", "method": "lbs", "to": 0.1, "output": "a.glb"},\n {"character": "tube.glb", "clip": "twist", "method": "lbs", "to": 0.1, "loop": false, "output": "b.glb"}\n]\n' > jobs.json
printf 'character,clip,method,to,output,loop\r\ntube.glb,bend,lbs,0.1,a.glb,\r\n"tube.glb",twist,lbs,0.1,"b.glb",false\r\n' > jobs.csv
run 0 batch jobs.json --list --json
cp .stdout array.txt
run 0 batch jobs.csv --list --json
cmp -s .stdout array.txt || fail "an array and CSV do not say the same"

# ---- the same bytes as bake, one process or several ----
run 0 batch jobs.jsonl --workers 1 -q
nothing_left .
run 0 bake tube.glb --clip bend --method dqs --fps 60 --to 0.1 -o single.glb -q
cmp -s single.glb out/tube-bend-dqs.glb || fail "batch and bake differ"
hashes . > one.txt
mkdir shards
run 0 batch jobs.jsonl -o shards --shard 2/2 --no-wait -q &
run 0 batch jobs.jsonl -o shards --shard 1/2 -q
wait
( cd shards && hashes . ) > two.txt
grep -F -f two.txt one.txt | wc -l | grep -qx 7 || fail "shards and one process differ"
nothing_left shards

# ---- what is done is skipped, what has changed is baked anew, nothing else ----
run 0 batch jobs.jsonl
out "7 of 7 jobs done (0 now"
cp tube.glb kept.glb
"$SUPPLE" convert kept.glb -o tube.glb --motion kept.glb --motion-clip bend --name extra -q
run 0 batch jobs.jsonl --list
run 0 batch jobs.jsonl
out "(6 now"
cp kept.glb tube.glb
edit jobs.jsonl 's/"fps": 60/"fps": 50/'
run 0 batch jobs.jsonl -q
run 0 batch jobs.jsonl
out "(0 now"
# an output that is gone or was replaced is made again
rm out/motion.glb
run 0 batch jobs.jsonl
out "(1 now" "out/motion.glb"
echo x >> out/motion.glb
run 0 batch jobs.jsonl
out "(1 now"
run 0 batch jobs.jsonl --force
out "(7 now"
# buffers beside a .gltf and settings count as well
mkdir parts
run 0 convert tube.glb -o parts/t.gltf -q
echo '{ "method": "lbs", "bake": { "fps": 10 } }' > parts/s.json
echo '{"character": "parts/t.gltf", "clip": "bend", "settings": "parts/s.json", "to": 0.1, "output": "parts.glb"}' > parts.jsonl
run 0 batch parts.jsonl -q
edit parts/s.json 's/10/12/'
run 0 batch parts.jsonl
out "(1 now"
printf '\0' >> parts/t.bin
run 0 batch parts.jsonl
out "(1 now"
touch parts/t.bin
run 0 batch parts.jsonl
out "(0 now"

# ---- a folder is a manifest ----
mkdir pack
cp tube.glb tube5.glb pack
run 0 batch pack --list
[ "$(wc -l < .stdout)" -eq 4 ] || fail "a folder: $(wc -l < .stdout) jobs, not 4"
out "pack/baked/tube5.bend.glb"

# ---- status ----
state 0 jobs.jsonl --json
json jobs=7 jobs_done=7 jobs_missing=0
echo '{"character": "tube.glb", "clip": "bend", "method": "lbs", "to": 0.1, "output": "fresh.glb"}' > fresh.jsonl
state 5 fresh.jsonl
out "1 missing" "missing  fresh.glb"

# brackets are a pattern, unless a clip has that very name
"$SUPPLE" convert tube.glb -o named.glb --motion tube.glb --motion-clip bend --name 'bend[1]' -q
echo '{"character": "named.glb", "clip": "bend[1]", "method": "lbs", "to": 0.1, "output": "named/out.glb"}' > named.jsonl
run 0 batch named.jsonl
out "named/out.glb" "1 of 1 job done"
grep -qF "supple bake named.glb --method=lbs '--clip=bend[1]'" .supple-batch/logs/*.log || fail "the log lacks the command as a shell would need it"

# a pattern matches files only; one that cannot be read fails as a job, and is reported once
mkdir -p mixed/folder.glb
cp tube.glb mixed
head -c 3000 tube.glb > mixed/cut.glb
echo '{"character": "mixed/*", "clip": "*", "method": "lbs", "to": 0.1, "output": "mixed.out/{character}-{clip}.glb"}' > mixed.jsonl
run 1 batch mixed.jsonl
out "2 of 3 jobs done"
[ "$(grep -c 'cut.glb' .stderr)" -eq 1 ] || fail "a file that cannot be read is reported $(grep -c 'cut.glb' .stderr) times"
rm mixed/*.glb 2> /dev/null
run 1 batch mixed.jsonl
err "mixed.jsonl:1:2: character: no file matches 'mixed/*'"

# ---- failures stay alone, are told, and are tried again when asked for ----
head -c 3000 tube.glb > broken.glb
printf '{"character": "%s", "clip": "bend", "method": "lbs", "to": 0.1, "output": "f/{character}.glb"}\n' broken.glb tube.glb tube5.glb > failing.jsonl
echo '{"character": "tube.glb", "clip": "nosuch", "method": "lbs", "output": "f/nosuch.glb"}' >> failing.jsonl
run 1 batch failing.jsonl
out "2 of 4 jobs done (2 now" "2 failed"
err "f/broken.glb: failed:" "f/nosuch.glb: failed: tube.glb: no clip 'nosuch'"
nothing_left .
run 1 batch failing.jsonl
out "(0 now"
err "skipping 2 jobs that failed before" "--retry"
state 1 failing.jsonl --json
json jobs_failed=2 jobs_done=2
grep -q '"log": "logs/' .stdout || fail "status names no log"
cp tube.glb broken.glb
run 1 batch failing.jsonl --retry
out "3 of 4 jobs done (1 now"
err "nosuch"
echo '{"character": "builtin:bunny", "clip": "Walk", "method": "fem", "to": 30, "output": "slow.glb"}' > slow.jsonl
run 1 batch slow.jsonl --timeout 1
err "exceeded the time limit of 1 s (--timeout)"
nothing_left .
if [ "$sanitized" -eq 0 ]; then
	echo '{"character": "builtin:deer8408", "clip": "*", "method": "fem", "to": 0.1, "output": "big-{clip}.glb"}' > big.jsonl
	run 1 batch big.jsonl --memory 24 --workers 1
	err "exceeded the memory limit of 24 MB (--memory)"
fi

# ---- errors in the manifest: line and column, before anything starts ----
refused() { # STATUS TEXT...: of bad.jsonl
	local wanted=$1
	shift
	rm -rf bad.out
	run "$wanted" batch bad.jsonl -o bad.out
	err "$@"
	[ ! -e bad.out/.supple-batch/journal ] || fail "something was baked: $*"
}
mkdir -p bad.out
for ((i = 1; i < 4711; ++i)); do printf '{"character":"builtin:tube","clip":"bend","output":"%d.glb"}\n' $i; done > bad.jsonl
cp bad.jsonl many.jsonl
echo '{"character":"builtin:tube","clip":"bend" "output":"x.glb"}' >> bad.jsonl
refused 1 "bad.jsonl:4711:50" "invalid JSON"
{ cat many.jsonl; echo '{"character":"builtin:tube", "clipp":"bend","output":"x.glb"}'; } > bad.jsonl
refused 1 "bad.jsonl:4711:30: unknown key 'clipp'; did you mean 'clip'?"
{ cat many.jsonl; echo '{"character":"builtin:tube","output":"x.glb","fps":"fast"}'; } > bad.jsonl
refused 1 "bad.jsonl:4711:" "fast"
echo '{"character":"builtin:tube","clip":"bend","fps":true}' > bad.jsonl
refused 1 "bad.jsonl:1:43: 'fps' must be a number"
echo '{"clip":"bend"}' > bad.jsonl
refused 1 'bad.jsonl:1:1: "character" is missing'
printf '{"character":"builtin:tube","clip":"bend","output":"same.glb"}\n{"character":"builtin:tube","clip":"twist","output":"./x/../same.glb"}\n' > bad.jsonl
refused 1 "bad.jsonl:2:" "two jobs write 'bad.out/same.glb'" "line 1"
mkdir -p bad.real
ln -s bad.real bad.link
printf '{"character":"builtin:tube","clip":"bend","output":"../bad.real/a.glb"}\n{"character":"builtin:tube","clip":"twist","output":"../bad.link/a.glb"}\n' > bad.jsonl
mkdir -p bad.out
run 1 batch bad.jsonl -o bad.out
err "bad.jsonl:2:" "two jobs write" "bad.link/a.glb" "line 1"
printf '{"character":"builtin:tube","clip":"bend"}\n{"character":"nowhere.glb","clip":"bend"}\n' > bad.jsonl
refused 1 "bad.jsonl:2:2: character: no file 'nowhere.glb'"
echo '{"character":"none*.glb"}' > bad.jsonl
refused 1 "no file matches 'none*.glb'"
echo '{"character":"builtin:tube","method":"fen"}' > bad.jsonl
refused 1 "bad.jsonl:1:" "unknown method 'fen'"
echo '{"character":"builtin:tube","output":"{charakter}.glb"}' > bad.jsonl
refused 1 "unknown key 'charakter'"
echo '{"character":"builtin:tube","output":"x.txt"}' > bad.jsonl
refused 1 "x.txt"
echo '{"character":"builtin:tube","report":"x.json"}' > bad.jsonl
refused 1 "'report' is not allowed"
printf '[{"character":"builtin:tube"},\n  {"character":"builtin:tube", "fpss":1}]' > bad.jsonl
refused 1 "bad.jsonl:2:32"
printf '[{"character":"builtin:tube"}' > bad.jsonl
refused 1 "missing ] at the end"
printf 'character,clip\nbuiltin:tube,bend,extra\n' > bad.jsonl
refused 1 "bad.jsonl:2:19: 3 cells, but the header has 2 keys"
printf 'character,clip\nbuiltin:tube,"bend\n' > bad.jsonl
refused 1 "bad.jsonl:2:14: missing closing quotation mark"
: > bad.jsonl
refused 1 "empty"
run 2 batch jobs.jsonl --shard 3/2
err "option --shard"
run 1 batch nowhere.jsonl
run 2 batch

# ---- folders that cannot be written to ----
: > file
run 3 batch jobs.json -o file/below
err "file" "nothing was baked"
run 3 batch jobs.json -o /proc/supple
err "/proc/supple"

# without exclusive creation or renaming over a file nothing could be relied on
if [ -n "${BROKEN_FOLDER:-}" ] && [ "$sanitized" -eq 0 ]; then
	for kind in rename exclusive; do
		LD_PRELOAD=$BROKEN_FOLDER BROKEN=$kind run 3 batch jobs.json -o "broken-$kind" -q
		[ $kind = rename ] && err "cannot replace a file by renaming" || err "no exclusive file creation"
		[ -z "$(find "broken-$kind" -name '*.glb')" ] || fail "baked into a broken folder"
	done
	# locks are not needed: claims keep jobs apart
	LD_PRELOAD=$BROKEN_FOLDER BROKEN=lock run 0 batch jobs.json -o no-locks -q
	nothing_left no-locks
fi

# ---- a disk that is full in mid-run: it ends, all that is done stays, and the same command goes on ----
echo '{"character": "builtin:tube", "clip": "bend", "method": "lbs", "to": 0.1, "output": "full/{fps}.glb", "fps": [30, 40, 50, 60, 1000, 70, 80]}' > full.jsonl
( failures=0; ulimit -f 150 && run 3 batch full.jsonl --workers 1 --threads 1; exit $failures ) || fail "full disk (above)"
err "full/1000.glb" "finished results are safe"
nothing_left .
[ "$(find full -name '*.glb' | wc -l)" -ge 4 ] || fail "what was done before the disk was full is gone"
run 0 batch full.jsonl
out "7 of 7 jobs done (3 now"

# ---- Ctrl-C lets bakes finish ----
echo '{"character": "builtin:bunny", "clip": "*", "method": "lbs", "fps": [30, 60], "output": "stop/{clip}-{fps}.glb"}' > stop.jsonl
: > .stdout # else lines of the run before would be taken for its first
"$SUPPLE" batch stop.jsonl --workers 1 > .stdout 2> .stderr & job=$!
for ((i = 0; i < 600; ++i)); do grep -q '^\[' .stdout && break; sleep 0.01; done
kill -INT $job
status=0
wait $job || status=$?
command_line="supple batch, stopped"
[ $status -eq 5 ] || fail "a batch that is stopped ends with $status, not 5"
nothing_left .
run 0 batch stop.jsonl -q

# ---- clocks that differ: a claim holds while its owner counts on, whatever the time of its files ----
echo '{"character": "tube.glb", "clip": "bend", "method": "lbs", "to": 0.1, "output": "clock.glb"}' > clock.jsonl
run 0 batch clock.jsonl -q
rm clock.glb
id=$("$SUPPLE" batch clock.jsonl --list --json | sed 's/.*"key":"\([0-9a-f]*\)".*/\1/')
[ ${#id} -eq 32 ] || fail "--list --json has no key"
claim=$(basename "$(ls .supple-batch/frames | while read -r n; do [ -e ".supple-batch/logs/$n.log" ] && grep -l clock.glb ".supple-batch/logs/$n.log"; done)" .log)
owner=.supple-batch/owners/far-1-00000000
beat() { # replaced by renaming: whoever reads finds a whole card, the old one or the new
	printf 'far 1 1 elsewhere - %020d\n' "$1" > .card
	touch -d '2001-01-01' .card
	mv .card $owner
}
beat 0
echo "far-1-00000000 0" > ".supple-batch/claims/$claim.0"
touch -d '2001-01-01' ".supple-batch/claims/$claim.0"
( i=0; while [ ! -e .dead ] && [ $i -lt 600 ]; do beat $((++i)); sleep 0.1; done ) &
beater=$!
timeout 4 "$SUPPLE" batch clock.jsonl --stale 2 > .stdout 2> .stderr
[ ! -e clock.glb ] || fail "the job of a node that lives was taken over"
state 5 clock.jsonl
out "running  clock.glb: on far, process 1, since 1970-01-01T00:00:00Z, last heartbeat 2001-01-01T"
touch .dead
wait $beater
run 0 batch clock.jsonl --stale 1
[ -e clock.glb ] || fail "the job of a dead node was not taken over"
rm -f $owner .dead
nothing_left .

# ---- a terminal: a table, drawn again in place, that never wraps ----
if command -v script > /dev/null; then
	printf '{"character": "builtin:%s", "clip": "*", "method": "position", "to": 0.5, "output": "live/{character}-with-a-name-that-is-far-too-long-for-a-narrow-terminal-{clip}.glb"}\n' tube tube5 > live.jsonl
	echo '{"character": "builtin:tube", "clip": "nosuch", "output": "live/nosuch.glb"}' >> live.jsonl
	TERM=xterm script -qec "stty cols 60 rows 6; exec '$SUPPLE' batch live.jsonl --workers 2" typed > /dev/null < /dev/null
	sed 's/\x1b\[[0-9;]*[A-Za-z]//g' typed | tr '\r' '\n' > shown
	command_line="supple batch on a terminal"
	for text in 'of 5 done' 'jobs/min' ' left' 'building flesh' 'baking' 'live/nosuch.glb: failed' '4 of 5 jobs done (4 now'; do
		grep -qF "$text" shown || fail "$command_line: lacks '$text'"
	done
	wide=$(grep -v -e '^Script' -e '^supple:' shown | wc -L)
	[ "$wide" -lt 60 ] || fail "$command_line: $wide columns on a terminal of 60"
	# every line that was drawn is cleared
	[ "$(grep -o $'\x1b\[[0-9]*A' typed | tr -dc '0-9\n' | awk '$1 > 5' | wc -l)" -eq 0 ] || fail "$command_line: higher than the terminal"
fi

# ---- Slurm script ----
run 0 batch submit --slurm --dry-run jobs.jsonl --cpus 2 --memory 500
out "#SBATCH --array=1-1" "#SBATCH --cpus-per-task=2" "#SBATCH --mem=1256M" " batch "
run 2 batch submit jobs.jsonl
err "--slurm"

# ---- the page ----
run 0 batch report jobs.jsonl -o page.html
[ "$(grep -c 'data:image/jpeg;base64,' page.html)" -eq 7 ] || fail "the page has $(grep -c 'data:image' page.html) pictures, not 7"
grep -q 'href=".supple-batch/logs/' page.html || fail "the page has no links to logs"
! grep -qE '(src|href)="?https?:' page.html || fail "the page needs other files"
# where pictures cannot be kept beside the outputs (another user's batch), the page has them all the same
rm -rf .supple-batch/pictures
: > .supple-batch/pictures
run 0 batch report jobs.jsonl -o page.html
[ "$(grep -c 'data:image/jpeg;base64,' page.html)" -eq 7 ] || fail "the page of another user's batch has no pictures"
rm .supple-batch/pictures
mv .supple-batch/frames .supple-batch/away
run 0 batch report jobs.jsonl -o page.html
err "7 pictures could not be drawn"
rm -rf .supple-batch/frames
mv .supple-batch/away .supple-batch/frames
run 0 batch report failing.jsonl -o failing.html
grep -q 'class="w failed">failed<div class="why">tube.glb: no clip' failing.html || fail "the page does not say why a job failed"
finish
