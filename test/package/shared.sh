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

quiet cmake --install "$work/subproject" --prefix "$work/prefix"
rm -rf "$work/subproject"
run_consumer "$work/prefix"

step "what libsupple.so needs"
needed=$(objdump -p "$(find "$work/prefix" -name libsupple.so)" | awk '$1 == "NEEDED" { print $2 }' | sort | xargs)
echo "$needed"
for library in $needed; do
	case $library in
		libc.so* | libm.so* | libpthread.so* | libgcc_s.so*) ;;
		*) echo "the core library needs $library"; exit 1 ;;
	esac
done

step "the core alone"
quiet cmake -S "$1" -B "$work/core-only" -G Ninja -DSUPPLE_IO=OFF
quiet cmake --build "$work/core-only" --target help
if grep -E 'supple_io|supple_tool' "$work/log"; then
	echo "files or tools without SUPPLE_IO"
	exit 1
fi
