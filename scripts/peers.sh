#!/usr/bin/env bash
# peers.sh: the same soft bodies in Supple and in other engines (bench/peers/README.md), in one run. Installs what is
# missing; a peer that is not to be had is left out, and said. Figures of the others: build/bench/peers_others.csv
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for group in "build peers" dart mujoco; do
	# shellcheck disable=SC2086 # several words
	scripts/setup.sh $group || echo "peers: some packages of $group are missing"
done
make --no-print-directory studio-page || make --no-print-directory all
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
export SUPPLE_COMMIT="$commit"
work=build/bench/peers.work
others=build/bench/peers_others.csv
compiler=$(g++ -dumpfullversion 2> /dev/null || echo unknown)
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1)
echo "benchmark,case,threads,value,unit,instructions,commit,compiler,processor,x,x_unit" > $others

# Prints what a peer prints, and keeps its numbers: NAME  A ms [B % C %]
keep() {
	awk -v what="$1" -v file=$others -v tail="native,$commit,\"$compiler\",\"${processor:-unknown}\",," '
		{ print }
		match( $0, /  +[0-9.]+ ms/ ) {
			name = substr( $0, 1, RSTART - 1 )
			split( substr( $0, RSTART ), n, " " )
			printf "%s,\"%s\",1,%s,ms,%s\n", what, name, n[1], tail >> file
			if ( n[6] == "%" ) {
				printf "%s volume error,\"%s\",1,%s,%%,%s\n", what, name, n[3], tail >> file
				printf "%s edges off,\"%s\",1,%s,%%,%s\n", what, name, n[5], tail >> file
			}
		}'
}

cmake --build build --target bench_peers bench_box
build/bench/bench_peers build/bench/peers.csv $work
if pkg-config --exists bullet; then
	# shellcheck disable=SC2046 # several words
	g++ -std=c++17 -O3 -march=native bench/peers/bullet.cpp -o build/bench/peers_bullet $(pkg-config --cflags --libs bullet)
	build/bench/peers_bullet $work | keep peers
else
	echo "Bullet is not here (package libbullet-dev)"
fi
if [ -f build/web/supple.js ]; then
	node bench/peers/supple.mjs build/web | keep peers
else
	echo "Supple as WebAssembly could not be built (above)"
fi
if scripts/npm.sh bench/peers > /dev/null 2>&1; then
	node bench/peers/jolt.mjs $work | keep peers
else
	echo "Jolt is not here (npm, jolt-physics)"
fi

echo
build/bench/bench_box build/bench/box.csv
if pkg-config --exists dart; then
	# the library's own alignment, so not -march=native; its package asks for C++11, its headers for more
	# shellcheck disable=SC2046
	g++ -O3 bench/peers/dart.cpp -o build/bench/peers_dart $(pkg-config --cflags --libs dart) -std=c++17
	build/bench/peers_dart | keep box
else
	echo "DART is not here (package libdart-dev)"
fi
if [ -f /usr/include/mujoco/mujoco.h ]; then
	g++ -std=c++17 -O3 bench/peers/mujoco.cpp -o build/bench/peers_mujoco -lmujoco
	build/bench/peers_mujoco | keep box
else
	echo "MuJoCo is not here (package libmujoco-dev)"
fi
