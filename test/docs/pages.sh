#!/usr/bin/env bash
# pages.sh SOURCE BUILD: the commands in the pages of docs/. Blocks marked sh are run, all in one folder; other blocks of
# commands are run on small files, for two frames or on small pictures; settings, clicks and scenes that are shown are used.
# The C of contact.md is compiled, that of embedding.md against the installed package and run. Of every line that begins with
# "supple COMMAND" the command and every option must exist. options.md and the parameter tables are what the commands print;
# names of the library and paths exist.
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
			'' | make | 'make '* | 'npm '* | cmake* | scripts/* | *'supple studio'*) continue ;;
		esac
		run=$((run + 1))
		bash -euo pipefail -c "$command" > log 2>&1 < /dev/null || { echo "$(basename "$page"): $command"; tail -n 5 log; bad=1; }
	done < <(blocks "$page" sh)
	while IFS= read -r line; do
		line=${line%% -- *}
		read -r _ name part _ <<< "$line"
		# "supple batch status" has options of its own
		case $name-$part in batch-status | batch-report | batch-submit) ;; *) part= ;; esac
		supple "$name" $part --help > help 2> /dev/null || { echo "$(basename "$page"): no command: $line"; bad=1; continue; }
		checked=$((checked + 1))
		for option in $(grep -oE -- '--[a-z][a-z-]*' <<< "${line%%#*}"); do
			grep -qE -- "$option( |=|,|\$)" help || { echo "$(basename "$page"): supple $name has no $option"; bad=1; }
		done
	done < <(blocks "$page" all | grep -E '^(build/)?supple [a-z]+( |$)' || true)
done

# Files that pages speak of.
mkdir files
supple convert builtin:bunny -q -o files/bunny.glb
supple convert builtin:tube -q -o files/hero.glb
supple pose builtin:bunny --rest -q -o files/bunny.obj
cat > files/walk.bvh << 'END'
HIERARCHY
ROOT Hips
{
	OFFSET 0 90 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Spine
	{
		OFFSET 0 10 0
		CHANNELS 3 Zrotation Xrotation Yrotation
		JOINT Head
		{
			OFFSET 0 40 0
			CHANNELS 3 Zrotation Xrotation Yrotation
			End Site
			{
				OFFSET 0 20 0
			}
		}
	}
}
MOTION
Frames: 2
Frame Time: 1
0 90 0  0 0 0  0 0 0  0 0 0
0 90 9  0 0 0  5 0 0  9 0 0
END
# json PAGE N: its Nth block of JSON
json() { awk -v n="$2" '/^```/ { on = !open && $0 == "```json" && ++count == n; open = !open; next } on' "$source/docs/$1.md"; }
try() { run=$((run + 1)); (cd short && bash -c "$2") > log 2>&1 < /dev/null || { echo "$1: $2"; tail -n 5 log; bad=1; }; }
json rig 1 > files/clicks.json
for page in "$source"/docs/*.md; do
	name=$(basename "$page")
	# synopses; needs a sender of poses
	case $name in options.md | live.md) continue ;; esac
	rm -rf short
	cp -r files short
	while IFS= read -r line; do
		command=${line%%#*} brief=
		case $command in
			'supple bake '*) brief='--to 0.02' ;;
			'supple compare '* | 'supple inspect '* | 'supple render '*) brief='--size 64x36' ;;
		esac
		try "$name" "$command $brief"
	done < <(awk '/^```/ { on = !open && $0 == "```"; open = !open; next } on && /^supple /' "$page")
done
json files 2 > short/files.json
json files 3 > short/joints.json
json scenes 1 > short/scene.json
try files.md 'supple build builtin:bunny --settings files.json --tets 1000 -o a.flesh'
try files.md 'supple build builtin:bunny --settings joints.json -o a.flesh'
try scenes.md 'supple render scene.json --time 0 --size 64x36 -o scene.png'

# The options of all commands, as --help prints them.
"$source/scripts/options.sh" "$build/supple" options.md
cmp "$source/docs/options.md" options.md || { echo "options.md is stale: run scripts/options.sh"; bad=1; }
options=$(grep -cE '^ +(-[a-z], )?--[a-z]' options.md)
[ "$options" -ge 150 ] || { echo "only $options options of all commands: is --help still read?"; exit 1; }

# Names of the library and paths in the tree that pages speak of.
grep -ohE '\bsup[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)?' "$source"/docs/*.md "$source/README.md" | sort -u > spoken
grep -rohE '\bsup[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)?' "$source/include" "$source/src" "$source/web" --include='*.[ch]' | sort -u > there
comm -23 spoken there | sed 's/$/: spoken of in the pages, but not there/' > missing
while read -r path; do
	[ -e "$source/$path" ] || echo "$path: spoken of in the pages, but not there" >> missing
done < <(grep -rohE '`(src|test|bench|scripts|tools|scenes|examples)/[A-Za-z0-9_./-]+`' "$source/docs" --include='*.md' | tr -d '`' | sort -u)
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
c() { awk '$0 == "```c" { on = 1; next } /^```/ { on = 0 } on' "$source/docs/$1.md"; }
{
	echo '#include <supple/supple.h>'
	echo 'void contact( supScene* scene, supActor* actor, supError error );'
	echo 'void contact( supScene* scene, supActor* actor, supError error ) {'
	c contact
	echo '}'
} > contact.c
# shellcheck disable=SC2046 # several words
cc -std=c17 -Wall -Wextra -Werror -fsyntax-only contact.c $(pkg-config --cflags supple-io) || bad=1
c embedding > engine.c
# shellcheck disable=SC2046 # several words
cc -std=c17 -Wall -Wextra -Werror engine.c -o engine $(pkg-config --cflags --libs supple-io)
./engine files/bunny.glb | tee log
grep -q '^0 allocations' log || { echo "embedding.md: a step allocates"; bad=1; }
echo "$run commands run, $checked checked, $options options"
[ $run -ge 32 ] && [ $checked -ge 30 ] || { echo "too few: are the pages still read?"; exit 1; }
exit $bad
