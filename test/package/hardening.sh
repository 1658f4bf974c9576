#!/usr/bin/env bash
# hardening.sh ARCHIVE PROGRAM...: what checksec looks at. Run paths never name the current folder, and a bug is hard to exploit.
set -euo pipefail
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# check_run_path FILE: an empty or relative entry loads libraries from wherever the user stands
check_run_path() {
	local path entry
	path=$(readelf -d "$1" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]/\2/p')
	[ -z "$path" ] && return
	while IFS= read -r -d : entry; do
		case $entry in
			/* | '$ORIGIN'*) ;;
			*) fail "$1: run path '$path' has the entry '$entry'"; return ;;
		esac
	done <<< "$path:"
}

# CET is a property of a program where all that it is linked of has it, Debian's start files too: ours are looked at alone
if [ "$(uname -m)" = x86_64 ]; then
	objects=$(ar t "$1" | wc -l)
	ready=$(readelf -n "$1" 2> /dev/null | grep -c 'IBT, SHSTK')
	[ "$objects" -eq "$ready" ] || fail "$1: $ready of $objects objects are ready for CET"
fi
shift

for file in "$@"; do
	check_run_path "$file"
	headers=$(readelf -lW "$file")
	dynamic=$(readelf -dW "$file")
	symbols=$(readelf --dyn-syms -W "$file")
	[[ $headers == *GNU_RELRO* ]] || fail "$file: no RELRO"
	[[ $dynamic == *BIND_NOW* || $dynamic == *"Flags: NOW"* ]] || fail "$file: RELRO is partial (no BIND_NOW)"
	! grep -q 'GNU_STACK.*RWE' <<< "$headers" || fail "$file: the stack is executable"
	[[ $(readelf -h "$file") == *"DYN ("* ]] || fail "$file: not position independent"
	[[ $symbols == *__stack_chk_fail* ]] || fail "$file: no stack protector"
	[[ $symbols =~ __[a-z]+_chk@ ]] || fail "$file: no FORTIFY_SOURCE"
done
[ "$failures" -eq 0 ]
echo "$# files checked"
