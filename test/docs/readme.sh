#!/usr/bin/env bash
# readme.sh SOURCE BUILD: runs what the README says, in a folder of its own: targets of make exist, commands run, the
# program compiles against the installed package and runs.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# blocks LANGUAGE: the text of all blocks in that language
blocks() { awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } /^```/ { on = 0 } on' "$source/README.md"; }

cmake --install "$build" --prefix "$work/prefix" > log
export PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name supple.pc)")
ln -s "$build" build
blocks c > bunny.c
[ -s bunny.c ] || { echo "no C in the README"; exit 1; }

count=0
while IFS= read -r line; do
	command=${line%%#*}
	[ -n "${command// /}" ] || continue
	count=$((count + 1))
	echo "\$ $command"
	case $command in
		# demo and test are run as such by .ci/run; install is done above, into a folder of ours
		make*) make -C "$source" -n ${command#make} > log ;;
		*) bash -euo pipefail -c "$command" ;;
	esac
done < <(blocks sh)
[ $count -ge 4 ] || { echo "only $count commands in the README"; exit 1; }
