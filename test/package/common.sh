# Shared by the package tests: sourced, not run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# prints the output of a command only where it fails
quiet() { "$@" > "$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }; }
step() { echo "-- $*"; }

# run_programs FOLDER: what the consumer builds
run_programs() {
	"$1/core"
	"$1/core_cxx"
	"$1/files" "$work/triangle.glb"
}

# run_consumer PREFIX: a CMake project that finds the package, and the same programs by pkg-config
run_consumer() {
	step "find_package"
	rm -rf "$work/consumer"
	quiet cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$1" -DCMAKE_BUILD_TYPE=Debug
	quiet cmake --build "$work/consumer"
	run_programs "$work/consumer"

	step "pkg-config"
	local libraries
	libraries=$(dirname "$(find "$1" -name supple.pc)")
	export PKG_CONFIG_PATH=$libraries
	# no run path from pkg-config: a shared library is found as the user would have it found
	export LD_LIBRARY_PATH=${libraries%/pkgconfig}
	local module
	for module in core:supple files:supple-io; do
		# shellcheck disable=SC2046 # several words
		cc -std=c17 "$here/consumer/${module%:*}.c" -o "$work/${module%:*}" $(pkg-config --cflags --libs "${module#*:}")
	done
	"$work/core"
	"$work/files" "$work/triangle.glb"
}
