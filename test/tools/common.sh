# What the test scripts of the command line share. Sourced.
# SUPPLE: the program. SUPPLE_SOURCE: the checkout. JSON_CHECK: test/tools/json_check.c. SUPPLE_ASSETS: real characters, may be missing.
set -uo pipefail
export LC_ALL=C.UTF-8
unset NO_COLOR
export LSAN_OPTIONS=print_suppressions=0:suppressions=$SUPPLE_SOURCE/test/support/leaks.txt
[ -x "$SUPPLE" ] && [ -x "$JSON_CHECK" ] || { echo "SUPPLE and JSON_CHECK must name programs" >&2; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/supple-cli.XXXXXX")
# bash runs this in a child, too, that a signal meets before it has become another program
trap '[ "$BASHPID" != $$ ] || { chmod -R u+w "$folder"; rm -rf "$folder"; }' EXIT
failures=0

fail() {
	printf 'FAILED: %s\n' "$*"
	failures=$((failures + 1))
}

# run STATUS WORD...: runs supple and expects it to exit with STATUS. Leaves $folder/.stdout and $folder/.stderr.
run() {
	local wanted=$1 status=0
	shift
	command_line="supple $*"
	timeout 120 "$SUPPLE" "$@" > "$folder/.stdout" 2> "$folder/.stderr" < /dev/null || status=$?
	if [ "$status" -ne "$wanted" ]; then
		fail "$command_line: exit status $status, not $wanted"
		head -c 2000 "$folder/.stderr"
	fi
	# an error is said, and nothing is said twice
	if [ "$wanted" -ne 0 ] && [ ! -s "$folder/.stderr" ]; then
		fail "$command_line: no message"
	fi
}

# stop FILE WORD...: runs supple, stops it by Ctrl-C once FILE is there, and leaves how it ended in $status.
stop() {
	local file=$1 i job
	shift
	command_line="supple $*, stopped"
	"$SUPPLE" "$@" > "$folder/.stdout" 2> "$folder/.stderr" < /dev/null &
	job=$!
	for ((i = 0; i < 6000; ++i)); do
		[ -e "$file" ] || ! kill -0 $job 2> /dev/null && break
		sleep 0.01
	done
	sleep 0.1
	kill -INT $job 2> /dev/null || true
	status=0
	wait $job || status=$?
}

# out TEXT...: stdout of the last run has each of these. err TEXT...: stderr does.
out() { has stdout "$@"; }
err() { has stderr "$@"; }
has() {
	local stream=$1 text
	shift
	for text in "$@"; do
		grep -qF -e "$text" "$folder/.$stream" || {
			fail "$command_line: $stream lacks '$text'"
			head -c 2000 "$folder/.$stream"
		}
	done
}

silent() { [ ! -s "$folder/.$1" ] || { fail "$command_line: $1 is not silent"; head -c 500 "$folder/.$1"; }; }

# json CHECK...: stdout of the last run is JSON and says so; see json_check.c.
json() { "$JSON_CHECK" "$@" < "$folder/.stdout" > /dev/null || fail "$command_line: JSON: $*"; }

# A value of the JSON of the last run.
value() { "$JSON_CHECK" "$1" < "$folder/.stdout"; }

finish() {
	if [ "$failures" -gt 0 ]; then
		printf '%d failed\n' "$failures"
		exit 1
	fi
	exit 0
}

skip() {
	printf 'skipped: %s\n' "$*"
	exit 77
}

need_assets() { [ -d "${SUPPLE_ASSETS:-}" ] || skip "no folder of real assets (set SUPPLE_ASSETS)"; }
