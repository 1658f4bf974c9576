#!/usr/bin/env bash
# peers.sh: the same soft body in Supple and in other engines (bench/peers/README.md), in one run. Installs what is missing;
# a peer that is not to be had is left out, and said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh build peers || echo "peers: some packages are missing"
make --no-print-directory all
work=build/bench/peers.work
build/bench/bench_peers build/bench/peers.csv $work

if pkg-config --exists bullet; then
	# shellcheck disable=SC2046 # several words
	g++ -std=c++17 -O3 -march=native bench/peers/bullet.cpp -o build/bench/peers_bullet $(pkg-config --cflags --libs bullet)
	build/bench/peers_bullet $work
else
	echo "Bullet is not here (package libbullet-dev)"
fi
if [ -f build/web/supple.js ]; then
	node bench/peers/supple.mjs build/web
else
	echo "Supple as WebAssembly was not built: make studio-page"
fi
if scripts/npm.sh bench/peers > /dev/null 2>&1; then
	node bench/peers/jolt.mjs $work
else
	echo "Jolt is not here (npm, jolt-physics)"
fi
