#!/usr/bin/env bash
# browser.sh ROOT BUILD PROGRAM: everything a browser needs compiles to WebAssembly, with wide instructions and without,
# by clang and wasi-libc; and a program on top of it prints in node what PROGRAM, the same one, prints here.
set -euo pipefail
root=$1 out=$2/browser program=$3
folders=(core math linear character geometry volume contact attach method scene)

skip() { echo "skipped: $1"; exit 77; }
command -v clang > /dev/null || skip "no clang"
command -v wasm-ld > /dev/null || skip "no wasm-ld (package lld)"
mkdir -p "$out"
echo 'int main( void ) { return 0; }' > "$out/empty.c"
clang --target=wasm32-wasi "$out/empty.c" -o "$out/empty.wasm" 2> /dev/null ||
	skip "no C library for WebAssembly (packages wasi-libc and libclang-rt-14-dev-wasm32)"

cd "$root"
sources=$(cd src && find "${folders[@]}" -name '*.c' | LC_ALL=C sort)
newest=$(find src include -name '*.h' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-)

# one source: unless it has been compiled since it or any header changed
compile() {
	local object=$1/${2//\//_}.o
	if [ ! "$object" -nt "src/$2" ] || [ ! "$object" -nt "$newest" ]; then
		# shellcheck disable=SC2086
		clang --target=wasm32-wasi $flags -c "src/$2" -o "$object"
	fi
}
export -f compile
export newest

# compile_all NAME SOURCES FLAGS...
compile_all() {
	local folder=$out/$1 list=$2
	shift 2
	export flags="-std=c17 -O1 -Wall -Wextra -Werror -Wno-psabi -fno-math-errno -ffp-contract=off -DSUP_KERNEL_SET=base -Isrc -Iinclude $*"
	mkdir -p "$folder"
	echo "$list" | xargs -P "$(nproc)" -n 4 bash -c 'for f; do compile "$0" "$f" || exit 255; done' "$folder"
}

# link NAME: the program, with what there is of NAME in place of what is plain
link() {
	local objects=() f
	for f in $sources; do
		f=${f//\//_}.o
		[ -e "$out/$1/$f" ] && objects+=("$out/$1/$f") || objects+=("$out/plain/$f")
	done
	# shellcheck disable=SC2086
	clang --target=wasm32-wasi $flags test/browser/program.c "${objects[@]}" -Wl,-z,stack-size=1048576 -o "$out/$1.wasm"
	echo "$1: $(stat -c %s "$out/$1.wasm") bytes"
}

# wide instructions make a difference to kernels and to what else has wide arithmetic
wide=$(cd src && grep -lE '#include "(core/(wide|wide_points|lanes)|linear/wide_double)\.h"' $(echo "$sources" | grep -v '_kernel\.c$') || true)
wide=$(echo "$sources" | grep '_kernel\.c$'; echo "$wide")
compile_all plain "$sources"
link plain
compile_all wide "$wide" -msimd128
link wide
echo "compiled $(echo "$sources" | wc -l) files, $(echo "$wide" | wc -l) of them for wide instructions too"

command -v node > /dev/null || { echo "node is not here: compiled and linked, but not run"; exit 0; }
"$program" > "$out/native.txt"
for name in plain wide; do
	node --no-warnings test/browser/run.mjs "$out/$name.wasm" > "$out/$name.txt"
	diff "$out/native.txt" "$out/$name.txt" || { echo "$name: WebAssembly (>) and this machine (<) differ"; exit 1; }
done
cat "$out/native.txt"
