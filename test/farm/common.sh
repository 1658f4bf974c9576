# What the tests of farms share: one manifest, and what one process makes of it. Sourced.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../tools/common.sh"
cd "$folder" || exit 1
for variable in $(compgen -e | grep -E '^(SLURM|OMPI|PMI|PMIX|PARALLEL)_'); do unset "$variable"; done

need() {
	local program
	for program in "$@"; do
		command -v "$program" > /dev/null || skip "$program is not installed (scripts/setup.sh farm)"
	done
}

cat > jobs.jsonl << 'END'
{"character": ["builtin:tube", "builtin:tube5"], "clip": "*", "method": ["lbs", "dqs"], "fps": [24, 30, 60], "to": 0.3, "output": "{character}-{clip}-{method}-{fps}.glb"}
{"character": "builtin:tube", "clip": "*", "method": "position", "to": 0.3, "output": "soft-{clip}.glb"}
END
hashes() { (cd "$1" && find . -name .supple-batch -prune -o -type f -name '*.glb' -print | LC_ALL=C sort | xargs -r sha256sum); }
"$SUPPLE" batch jobs.jsonl -o alone --workers 1 -q || fail "one process"
hashes alone > alone.txt
[ "$(wc -l < alone.txt)" -eq 26 ] || fail "there are $(wc -l < alone.txt) results, not 26"

# same FOLDER OWNERS: the same bytes as from one process, each job done once, by at least so many processes
same() {
	local lines owners
	hashes "$1" > shared.txt
	cmp -s alone.txt shared.txt || { fail "$1: results differ from those of one process"; diff alone.txt shared.txt | head -5; }
	"$SUPPLE" batch status jobs.jsonl -o "$1" > .stdout || fail "$1: not all done: $(head -1 .stdout)"
	lines=$(cat "$1"/.supple-batch/journal/*.jsonl | wc -l)
	owners=$(ls "$1"/.supple-batch/journal | wc -l)
	echo "$1: $lines results by $owners processes"
	[ "$owners" -ge "$2" ] || fail "$1: only $owners processes had a share"
	[ -z "$(find "$1" -name '.supple-work-*' -o -path '*/claims/*' -o -path '*/owners/*')" ] || fail "$1: something is left behind"
}
