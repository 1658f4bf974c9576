# A plain door to CMake. Every target installs what it needs first: scripts/setup.sh.
.PHONY: all tool demo studio studio-page package test-studio test test-farm test-readers test-web test-asan test-tsan test-scalar build-asan build-tsan build-scalar test-looks soak bench fuzz format check-format python test-python blender test-blender install dist deb clean

# quiet unless it fails
configure = log=$$(mktemp); cmake --preset $(1) > $$log 2>&1 || { cat $$log; rm -f $$log; exit 1; }; rm -f $$log

all:
	@scripts/setup.sh build
	@$(call configure,release)
	@cmake --build build

# the command line alone
tool:
	@scripts/setup.sh build
	@$(call configure,release)
	@cmake --build build --target supple_tool

demo: tool
	@scripts/setup.sh film
	@scripts/demo.sh

# the web page, in build/web/studio; opens it
studio: tool studio-page
	@build/supple studio

studio-page: tool
	@scripts/setup.sh web
	@export NODE_PATH=/usr/share/nodejs && $(call configure,web) && cmake --build build/web
	@scripts/studio.sh

# benchmarks and the proof program are compiled here only so that they stay compilable
test:
	@scripts/setup.sh build test
	@$(call configure,release -DSUPPLE_TESTS=ON)
	@cmake --build build --target all benches supple_proof
	@ctest --test-dir build --output-on-failure -j $(shell nproc) -LE 'readers|farm'
	@scripts/slowest.sh build

# the Python package: build/python/dist has the wheel and the sdist, build/python/site the package as it is installed
python:
	@scripts/setup.sh build python
	@$(call configure,shared)
	@cmake --build build/shared
	@rm -rf build/python
	@/usr/bin/env python3 python/backend.py build/python/dist
	@/usr/bin/env python3 -m zipfile -e build/python/dist/*.whl build/python/site

test-python: python tool
	@SUPPLE=$(CURDIR)/build/supple SUPPLE_LIBRARY=$(CURDIR)/build/shared python3 test/python/test_supple.py

# the Blender add-on with the library inside: build/blender/supple-VERSION-PLATFORM.zip
blender: python
	@python3 blender/package.py build/shared build/blender

# the add-on in Blender without a window
test-blender: blender tool
	@scripts/setup.sh readers blender
	@test/blender/run.sh build/blender

# real readers: Blender, gltf-validator, Godot, three.js
test-readers:
	@scripts/setup.sh build test readers
	@$(call configure,release -DSUPPLE_TESTS=ON)
	@cmake --build build
	@scripts/npm.sh test/readers
	@ctest --test-dir build --output-on-failure -j $(shell nproc) -L readers

# supple batch on a real Slurm, OpenMPI and GNU parallel, all on this machine
test-farm:
	@scripts/setup.sh build test farm
	@$(call configure,release -DSUPPLE_TESTS=ON)
	@cmake --build build --target supple_tool json_check broken_folder
	@ctest --test-dir build --output-on-failure -L farm

# the studio in Chromium
test-studio: studio-page
	@scripts/setup.sh studio readers
	@scripts/npm.sh test/readers
	@SUPPLE_STUDIO=build/web/studio node --test test/studio/studio.test.mjs

# the npm package: build/web/supple.tgz
package:
	@scripts/setup.sh web
	@export NODE_PATH=/usr/share/nodejs && $(call configure,web) && cmake --build build/web
	@scripts/npm.sh packages/supple
	@node packages/supple/build.mjs build/web

# the library as WebAssembly, in Node, beside the build for this machine; and the npm package, in Node and Chromium
test-web:
	@scripts/setup.sh build test web studio
	@$(call configure,release -DSUPPLE_TESTS=ON)
	@cmake --build build --target supple_tool web_bits
	@export NODE_PATH=/usr/share/nodejs && $(call configure,web -DSUPPLE_TESTS=ON) && cmake --build build/web
	@ctest --test-dir build/web --output-on-failure -j $(shell nproc)
	@scripts/npm.sh packages/supple
	@node packages/supple/build.mjs build/web
	@SUPPLE_WEB=build/web node --test test/npm/*.test.mjs

build-asan build-scalar: build-%:
	@scripts/setup.sh build test
	@$(call configure,$*)
	@cmake --build build/$*

build-tsan:
	@scripts/setup.sh build test
	@$(call configure,tsan)
	@cmake --build build/tsan --target threaded_tests

test-asan test-scalar: test-%: build-%
	@ctest --test-dir build/$* --output-on-failure -j $(shell nproc) -LE 'readers|release|farm'
	@scripts/slowest.sh build/$*

test-tsan: build-tsan
	@ctest --test-dir build/tsan --output-on-failure -j $(shell nproc) -L threads
	@scripts/slowest.sh build/tsan

# WebAssembly is measured beside; where it cannot be built the rest is measured
# wild poses and parameters: SOAK_FRAMES for every method, on SOAK_SHARDS processes with different seeds
# before that, SOAK_HOURS of a clip in a loop for every method: about five minutes an hour
SOAK_FRAMES ?= 1000000
SOAK_HOURS ?= 24
SOAK_SHARDS ?= $(shell nproc)
soak:
	@scripts/setup.sh build test
	@$(call configure,release -DSUPPLE_TESTS=ON)
	@cmake --build build --target test_scene_soak test_scene_long_run
	@SUPPLE_HOURS=$(SOAK_HOURS) build/test/test_scene_long_run
	@seq $(SOAK_SHARDS) | SUPPLE_SOAK=$$(($(SOAK_FRAMES) / $(SOAK_SHARDS))) xargs -P $(SOAK_SHARDS) -I '{}' env SUPPLE_SHARD='{}' build/test/test_scene_soak

bench: all
	@{ $(MAKE) --no-print-directory studio-page && NODE_PATH=/usr/share/nodejs cmake --build build/web --target web_bench; } || echo "bench: goes on without WebAssembly (above)"
	@PLOTS=docs/plots scripts/bench.sh
	@scripts/peers.sh

# how flesh looks on real and built-in characters, all methods: some minutes. LOOKS='--write docs/measured/looks.md' updates the pages
test-looks: tool
	@scripts/looks.sh $(LOOKS)

# one minute per reader; FUZZ_SECONDS=600 for longer
fuzz:
	@scripts/setup.sh build fuzz
	@$(call configure,fuzz)
	@cmake --build build/fuzz
	@scripts/fuzz.sh

format:
	@scripts/setup.sh format
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format-14 -i

check-format:
	@scripts/setup.sh format
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format-14 --dry-run --Werror

# PREFIX=/somewhere make install
install: all python
	@cmake --install build $(if $(PREFIX),--prefix $(PREFIX))

version = $(shell sed -n 's/^project(supple VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# the sources of the last commit: build/packages/supple-VERSION.tar.gz
dist:
	@mkdir -p build/packages
	@git archive --prefix=supple-$(version)/ -o build/packages/supple-$(version).tar.gz HEAD
	@echo build/packages/supple-$(version).tar.gz

# a Debian package of the command line, the libraries and the headers, in build/packages
deb: all
	@scripts/setup.sh deb
	@cpack --config build/CPackConfig.cmake | grep 'generated' | sed 's/.* - package: \(.*\) generated./\1/'

clean:
	rm -rf build out
