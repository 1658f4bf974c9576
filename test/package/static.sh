#!/usr/bin/env bash
# static.sh BUILD: installs the build and uses it; then looks at what the core library asks of the machine.
source "$(dirname "$0")/common.sh"
cmake --install "$1" --prefix "$work/prefix" > "$work/log"
# an installed folder may be moved
mv "$work/prefix" "$work/moved"
run_consumer "$work/moved"
core=$(find "$work/moved" -name libsupple.a)
files=$(find "$work/moved" -name libsupple_io.a)

step "the installed command"
"$work/moved/bin/supple" --version

step "the core links with the C library alone"
cc -shared -nodefaultlibs -o "$work/all.so" -Wl,--no-undefined -Wl,--whole-archive "$core" -Wl,--no-whole-archive \
	-lc -lm -lpthread -lgcc

step "nothing of libm that is not exact"
if nm -u "$core" "$files" | awk '{ print $2 }' |
	grep -Ex '(a?(sin|cos|tan)h?|atan2|sincos|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fma)[fl]?'; then
	echo "the functions above differ in the last bit between C libraries"
	exit 1
fi

step "every name starts with sup"
if nm -g --defined-only "$core" "$files" | awk 'NF == 3 { print $3 }' | grep -v '^sup'; then
	echo "the names above may collide with those of other libraries"
	exit 1
fi
