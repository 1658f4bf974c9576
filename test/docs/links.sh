#!/usr/bin/env bash
# links.sh FOLDER: every relative link in every Markdown file leads to something.
set -euo pipefail
cd "$1"
bad=0
while IFS= read -r page; do
	while IFS= read -r link; do
		case $link in http:* | https:* | mailto:* | '#'* | '') continue ;; esac
		if [ ! -e "$(dirname "$page")/${link%%#*}" ]; then
			echo "${page#./}: $link does not exist"
			bad=1
		fi
	done < <(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//')
done < <(find . -name '*.md' -not -path '*/node_modules/*' -not -path './build/*' -not -path '*/planted/*' | sort)
exit $bad
