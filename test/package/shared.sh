#!/usr/bin/env bash
# shared.sh SOURCE: the source as a subproject that builds shared libraries; these used in place and installed.
source "$(dirname "$0")/common.sh"
step "a subproject builds only the libraries"
quiet cmake -S "$here/consumer" -B "$work/subproject" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSUPPLE_SOURCE="$1" \
	-DCMAKE_C_FLAGS_DEBUG=-O0 -DBUILD_SHARED_LIBS=ON -DSUPPLE_INSTALL=ON -DSUPPLE_AVX2=OFF
quiet cmake --build "$work/subproject"
run_programs "$work/subproject"
built=$(find "$work/subproject" -maxdepth 2 -type f \( -name '*.so*' -o -perm -u+x \) -printf '%f\n' | sort | xargs)
echo "$built"
version=$(sed -n 's/^project(supple VERSION \([0-9.]*\).*/\1/p' "$1/CMakeLists.txt")
[ "$built" = "core core_cxx files libsupple.so.$version libsupple_io.so.$version" ] || { echo "it builds something else"; exit 1; }

step "run paths of what was built"
run_paths() { for file in "$@"; do readelf -d "$file" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]/\2/p'; done; }
if run_paths $(find "$work/subproject" -maxdepth 2 -type f \( -name '*.so*' -o -perm -u+x \)) | grep -E '^:|::|:$'; then
	echo "an empty entry loads libraries from the current folder"
	exit 1
fi

quiet cmake --install "$work/subproject" --prefix "$work/prefix"
rm -rf "$work/subproject"
run_consumer "$work/prefix"

step "what libsupple.so needs"
needed=$(objdump -p "$(find "$work/prefix" -name libsupple.so)" | awk '$1 == "NEEDED" { print $2 }' | sort | xargs)
echo "$needed"
for library in $needed; do
	case $library in
		libc.so* | ld-linux*.so* | libm.so* | libpthread.so* | libgcc_s.so*) ;;
		*) echo "the core library needs $library"; exit 1 ;;
	esac
done

step "what the shared libraries export"
# declared FOLDER MACRO: names of functions that headers declare so
declared() { grep -rhoE "^$2 [^;(]*\bsup[A-Za-z0-9_]+\(" --include=*.h "$1" | grep -oE 'sup[A-Za-z0-9_]+\($' | tr -d '(' | sort -u; }
declared "$1/include/supple" SUP_API > "$work/public"
declared "$1/src" SUP_SHARED_API > "$work/shared"
find "$work/prefix" -name 'libsupple*.so' -exec nm -D --defined-only {} + | awk 'NF == 3 { print $3 }' | sort -u > "$work/exported"
if sort -u "$work/public" "$work/shared" | diff - "$work/exported"; then
	echo "$(wc -l < "$work/public") public functions, $(wc -l < "$work/shared") for supple_io"
else
	echo "above, '<': declared, but not exported; '>': exported, but in no public header"
	exit 1
fi

step "the Python package"
SUPPLE_LIBRARY=$(dirname "$(find "$work/prefix" -name libsupple.so)") quiet /usr/bin/env python3 "$1/test/python/test_supple.py"

step "the core alone"
quiet cmake -S "$1" -B "$work/core-only" -G Ninja -DSUPPLE_IO=OFF
quiet cmake --build "$work/core-only" --target help
if grep -E 'supple_io|supple_tool' "$work/log"; then
	echo "files or tools without SUPPLE_IO"
	exit 1
fi
