#!/usr/bin/env bash
# looks.sh [--write PAGE] [--cases FILE] [--only PATTERN] [--jobs N] [--no-guard] [SUPPLE]: measures how flesh looks (docs/looks.md),
# with every method and default settings. Plays all cases of FILE (default: shared/tools/looks-cases.txt beside the project, with
# lines NAME|CHARACTER|OPTIONS) and every clip of every built-in character at 20 fps, up to 4 s, and prints a table and the counts
# per method. --write also puts both into PAGE (docs/measured/looks.md), between the marks, and the counts into the page of the same
# name one folder up, if it exists. --only selects cases whose name matches an extended regular expression. --no-guard measures
# flesh without the guard. Real characters and motions ($K and $N in FILE) are read from shared/assets beside the project, or from
# $SUPPLE_ASSETS.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
page='' only='' jobs=2 guard='' cases=$root/../shared/tools/looks-cases.txt
assets=${SUPPLE_ASSETS:-$root/../shared/assets}
methods=(position lattice points layered fem modes)
while [ $# -gt 0 ]; do
	case $1 in
		--write) page=$2; shift 2 ;;
		--cases) cases=$2; shift 2 ;;
		--only) only=$2; shift 2 ;;
		--jobs) jobs=$2; shift 2 ;;
		--no-guard) guard=--no-guard; shift ;;
		-*) echo "looks.sh: unknown option $1" >&2; exit 2 ;;
		*) break ;;
	esac
done
supple=${1:-$root/build/supple}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NAME|FILE|OPTIONS of all cases
list() {
	local line model skipped=0
	while IFS= read -r line; do
		if [ -d "$assets" ]; then
			line=${line//\$K/$assets/characters}
			line=${line//\$N/$assets/motions}
		fi
		case $line in '') continue ;; *'$'*) skipped=$((skipped + 1)); continue ;; esac
		case ${line##*|} in *--from* | *--to*) ;; *) line="$line --from 0 --to 4" ;; esac
		printf '%s\n' "$line"
	done < <(cat "$cases" 2> /dev/null)
	[ -e "$cases" ] || echo "looks.sh: $cases is missing: only the built-in characters are measured" >&2
	[ $skipped -eq 0 ] || echo "looks.sh: $skipped cases skipped: their characters are not in $assets" >&2
	for model in $("$supple" models --quiet); do
		"$supple" info "builtin:$model" --json | awk -v model="$model" '
			/^  "clips": \[/ { on = 1 }
			on && /"name":/ { name = $0; sub( /^ *"name": "/, "", name ); sub( /",?$/, "", name ) }
			on && /"end":/ { end = $2 + 0; printf "%s %s|builtin:%s|--clip %s --to %s\n", model, name, model, name, end < 4 ? end : 4 }'
	done
}

# METHOD MARK TORN WORST CRUSHED ALIVE FAR, a line for each panel of a comparison
rows() {
	awk '
		function number( s ) { gsub( /[",]/, "", s ); return s == "null" ? "inf" : s }
		/"method":/ { method = number( $2 ) }
		/"verdict":/ { mark = /good/ ? "G" : /still/ ? "0" : "R" }
		/"torn":/ { torn = number( $2 ) }
		/"worst":/ { worst = number( $2 ) }
		/"crushed":/ { crushed = number( $2 ) }
		/"alive":/ { alive = number( $2 ) }
		/"far":/ { printf "%s %s %.2f %.2f %.2f %.2f %.2f\n", method, mark, torn, worst, crushed, alive, number( $2 ) }'
}

# run FILE OPTIONS METHODS
compare() {
	# options are words without spaces
	# shellcheck disable=SC2086
	"$supple" compare "$1" $2 $guard --method "$3" --fps 20 --threads 1 --json --quiet 2> /dev/null | rows
}

# measure LINE RESULT: one case. Where a method refuses the character the others are measured one by one.
measure() {
	local name file options method
	IFS='|' read -r name file options <<< "$1"
	if ! compare "$file" "$options" "$(IFS=,; echo "${methods[*]}")" > "$2.part"; then
		for method in "${methods[@]}"; do
			compare "$file" "$options" "$method" || echo "$method X - - - - -"
		done > "$2.part"
	fi
	mv "$2.part" "$2"
	echo "$name" > "$2.name"
}

list > "$work/all"
grep -E -- "^[^|]*(${only:-.})" "$work/all" > "$work/list" || { echo "looks.sh: no case matches '$only'" >&2; exit 2; }
running=0 number=0
while IFS= read -r line; do
	number=$((number + 1))
	measure "$line" "$work/$(printf '%04d' $number).row" &
	running=$((running + 1))
	if [ $running -ge "$jobs" ]; then
		wait -n
		running=$((running - 1))
	fi
done < "$work/list"
wait

# a row for each case: mark, then torn, worst, crushed, alive and far of each method
{
	printf '| case |%s\n' "$(printf ' %s |' "${methods[@]}")"
	printf '|---|%s\n' "$(printf -- '---|%.0s' "${methods[@]}")"
	for row in "$work"/*.row; do
		printf '| %s |' "$(cat "$row.name")"
		awk '{ printf " %s %s %s %s %s %s |", $2, $3, $4, $5, $6, $7 } END { print "" }' "$row"
	done
} > "$work/table"
{
	echo '| method | good | still | torn | refused |'
	echo '|---|---|---|---|---|'
	for method in "${methods[@]}"; do
		cat "$work"/*.row | awk -v m="$method" '$1 == m { n[$2]++ } END { printf "| `%s` | %d | %d | %d | %d |\n", m, n["G"], n["0"], n["R"], n["X"] }'
	done
} > "$work/counts"

column -t -s '|' -o '|' "$work/table" 2> /dev/null || cat "$work/table"
echo
cat "$work/counts"
# renew PAGE: replaces what is between its marks
renew() {
	awk -v counts="$work/counts" -v table="$work/table" '
		function copy( file, line ) { while ( ( getline line < file ) > 0 ) print line }
		/^<!-- counts: / { print; copy( counts ); skip = 1; next }
		/^<!-- table: / { print; copy( table ); skip = 1; next }
		/^<!-- end of (counts|table) -->$/ { skip = 0 }
		!skip' "$1" > "$work/page"
	cp "$work/page" "$1"
	echo "written: $1"
}
if [ -n "$page" ]; then
	renew "$page"
	summary=$(dirname "$page")/../$(basename "$page")
	if [ -e "$summary" ]; then renew "$summary"; fi
fi
