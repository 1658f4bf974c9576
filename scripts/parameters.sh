#!/usr/bin/env bash
# parameters.sh [SUPPLE [DOCS]]: updates the parameter tables in the pages of the methods, between the marks, from what
# 'supple methods' prints. The tests run it on a copy and find a page that has gone stale.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
supple=${1:-$root/build/supple} docs=${2:-$root/docs}

# One key a line, as the command writes it.
table() {
	"$supple" methods "$1" --json | awk '
		function text( s ) { sub( /^ *"[a-z]+": /, "", s ); sub( /,$/, "", s ); gsub( /^"|"$/, "", s ); gsub( /\|/, "\\|", s ); return s }
		BEGIN { print "| parameter | default | range | unit | effect | live |"; print "|---|---|---|---|---|---|" }
		/"parameters": \[/ { on = 1; next }
		!on { next }
		/"name":/ { name = text( $0 ); range = ""; choices = 0; inside = 0 }
		/"unit":/ { unit = text( $0 ); if ( unit == "kg/m3" ) unit = "kg/m³"; if ( unit == "count" ) unit = "" }
		/"summary":/ { summary = text( $0 ) }
		/"minimum":/ { low = text( $0 ) }
		/"maximum":/ { high = text( $0 ) }
		/"default":/ { standard = text( $0 ) }
		/"live":/ { live = /true/ ? "yes" : "no" }
		/"choices": \[/ { inside = 1; choices = 1; next }
		inside && /\]/ { inside = 0; next }
		inside { word = $0; gsub( /[" ,]/, "", word ); if ( choices++ == standard + 1 ) chosen = word; range = range ( range == "" ? "" : ", " ) "`" word "`" }
		/^ *}/ && name != "" {
			if ( choices ) standard = "`" chosen "`"; else range = low " to " high
			printf "| `%s` | %s | %s | %s | %s | %s |\n", name, standard, range, unit, summary, live
			name = ""
		}'
}

for page in "$docs"/*.md; do
	method=$(sed -n 's/^<!-- parameters of \([a-z]*\): .*-->$/\1/p' "$page")
	[ -n "$method" ] || continue
	table "$method" > "$page.table"
	awk -v rows="$page.table" '
		/^<!-- parameters of / { print; while ( ( getline line < rows ) > 0 ) print line; skip = 1; next }
		/^<!-- end of parameters -->$/ { skip = 0 }
		!skip' "$page" > "$page.new"
	rm "$page.table"
	if cmp -s "$page" "$page.new"; then rm "$page.new"; else mv "$page.new" "$page"; fi
done
