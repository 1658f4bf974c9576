#!/usr/bin/env bash
# pages.sh SOURCE BUILD: what the pages of docs/ tell to type. Blocks marked sh are run, all in one folder; the C of
# embedding.md is compiled against the installed package and run; of every line that begins with "supple COMMAND" the command
# and every option must exist. Every option of every command has its place in cli.md, every parameter in the page of its method,
# as the command tells it; names of the library and paths are there.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$build" "$work/build"
ln -s "$source/scenes" "$source/scripts" "$work"
PATH=$build:$PATH
cd "$work"

# blocks PAGE sh|all
blocks() { awk -v kind="$2" '/^```/ { on = !on && ( kind == "all" || $0 == "```sh" ); open = !open; if ( !open ) on = 0; next } on' "$1"; }

bad=0 run=0 checked=0
for page in "$source"/docs/*.md; do
	while IFS= read -r line; do
		command=${line%%  #*}
		case $command in
			# built, installed and served by tests of their own
			'' | make | 'make '* | cmake* | scripts/* | *'supple studio'*) continue ;;
		esac
		run=$((run + 1))
		bash -euo pipefail -c "$command" > log 2>&1 < /dev/null || { echo "$(basename "$page"): $command"; tail -n 5 log; bad=1; }
	done < <(blocks "$page" sh)
	while IFS= read -r line; do
		read -r _ name _ <<< "$line"
		supple "$name" --help > help 2> /dev/null || { echo "$(basename "$page"): no command: $line"; bad=1; continue; }
		checked=$((checked + 1))
		for option in $(grep -oE -- '--[a-z][a-z-]*' <<< "${line%%#*}"); do
			grep -qE -- "$option( |=|,|\$)" help || { echo "$(basename "$page"): supple $name has no $option"; bad=1; }
		done
	done < <(blocks "$page" all | grep -E '^(build/)?supple [a-z]+( |$)' || true)
done

# What all commands share stands in a section of its own; a synopsis tells nothing.
section() { awk -v name="$1" '/^## / { on = substr( $0, 4 ) == name } /^```/ { block = !block } on && !block' "$source/docs/cli.md"; }
options=0
for name in $(supple --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -v '^help$'); do
	{ section "$name"; section 'What all commands share'; } > told
	while read -r option; do
		options=$((options + 1))
		grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" told || { echo "cli.md: $name does not tell $option"; bad=1; }
	done < <(supple "$name" --help | sed -n '/^Options:/,/^$/p' | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--?[a-z][a-z-]*')
done
[ $options -ge 150 ] || { echo "only $options options of all commands: is --help still read?"; exit 1; }

# Names of the library and paths in the tree that pages speak of; paths in studio.md are those below web/studio.
grep -ohE '\bsup[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)?' "$source"/docs/*.md "$source/README.md" | sort -u > spoken
grep -rohE '\bsup[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)?' "$source/include" "$source/src" "$source/web" --include='*.[ch]' | sort -u > there
comm -23 spoken there | sed 's/$/: spoken of in the pages, but not there/' > missing
while read -r path; do
	[ -e "$source/$path" ] || echo "$path: spoken of in the pages, but not there" >> missing
done < <(grep -rohE '`(src|test|bench|scripts|tools|scenes|examples)/[A-Za-z0-9_./-]+`' "$source/docs" --include='*.md' --exclude=studio.md | tr -d '`' | sort -u)
[ -s missing ] && { cat missing; bad=1; }
[ "$(wc -l < spoken)" -ge 60 ] || { echo "too few names: are the pages still read?"; exit 1; }

cp -r "$source/docs" docs
"$source/scripts/parameters.sh" "$build/supple" docs
for method in $(supple methods --quiet | grep -vE '^(lbs|dqs)$'); do
	grep -q "^<!-- parameters of $method: " "docs/$method.md" || { echo "$method.md has no table of parameters"; bad=1; }
	cmp "$source/docs/$method.md" "docs/$method.md" || { echo "$method.md is stale: run scripts/parameters.sh"; bad=1; }
done

cmake --install "$build" --prefix "$work/prefix" > log
export PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name supple.pc)")
awk '$0 == "```c" { on = 1; next } /^```/ { on = 0 } on' "$source/docs/embedding.md" > engine.c
# shellcheck disable=SC2046 # several words
cc -std=c17 -Wall -Wextra -Werror engine.c -o engine $(pkg-config --cflags --libs supple-io)
supple convert builtin:bunny -q -o bunny.glb
./engine bunny.glb | tee log
grep -q '^0 allocations' log || { echo "embedding.md: a step allocates"; bad=1; }
echo "$run commands run, $checked checked, $options options told"
[ $run -ge 12 ] && [ $checked -ge 30 ] || { echo "too few: are the pages still read?"; exit 1; }
exit $bad
