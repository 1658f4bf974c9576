#!/usr/bin/env bash
# options.sh [SUPPLE [PAGE]]: writes docs/options.md, the help of every command. The tests find a page that has gone stale.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
supple=${1:-$root/build/supple} page=${2:-$root/docs/options.md}

# options_of_all: the options that every command has; own COMMAND: its help without them
options_of_all() { "$supple" info --help | sed -n '/^ *--json /,/^ *-h, --help/p'; }
own() {
	"$supple" "$@" --help | awk '
		/^usage: / { sub( /^usage: /, "" ) }
		/^ *--json  / { skip = 1 }
		/^ *-h, --help/ { skip = 0; next }
		/^Exit status:/ { exit }
		skip { next }
		$0 == "" { blank = 1; next }
		/^Options:$/ { held = 1; next } # a command may have none of its own
		{
			if ( held && /^ / ) print "\nOptions:"
			else if ( blank ) print ""
			blank = held = 0
			print
		}'
}

{
	echo '# Options of all commands'
	echo
	echo 'Written by `scripts/options.sh` from `supple COMMAND --help`. What the commands do beyond this is in [cli.md](cli.md).'
	echo
	echo 'Every command has these:'
	echo
	echo '```'
	options_of_all
	echo '```'
	"$supple" __complete "" | cut -f 1 | grep -vx help | while read -r command; do
		printf '\n## %s\n\n```\n' "$command"
		own "$command" < /dev/null
		echo '```'
	done
	for command in status report submit; do
		printf '\n## batch %s\n\n```\n' "$command"
		own batch "$command"
		echo '```'
	done
} > "$page"
