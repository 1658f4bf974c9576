#!/usr/bin/env bash
# test_setup.sh SOURCE: scripts/setup.sh among stand-ins for dpkg-query, apt-get, sudo and id.
set -euo pipefail
setup=$1/scripts/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"

fail() { echo "FAILED: $*"; exit 1; }
stand_in() { printf '#!/bin/sh\n%s\n' "$2" > "$work/bin/$1"; chmod +x "$work/bin/$1"; }
run() {
	: > "$work/calls"
	status=0
	output=$(PATH="$work/bin:$PATH" CALLS="$work/calls" ABSENT="$absent" "$setup" "$@" 2>&1) || status=$?
}

# a package is there unless it is named in ABSENT
stand_in dpkg-query 'for last; do :; done; case " $ABSENT " in *" $last "*) exit 1 ;; esac; printf "install ok installed"'
stand_in apt-get 'echo "apt-get $*" >> "$CALLS";'
stand_in sudo 'echo "sudo" >> "$CALLS"; exec "$@"'
stand_in id 'echo 1000'

echo "-- everything there: silent, no root, nothing called"
absent=
run build test format fuzz readers
[ $status -eq 0 ] || fail "status $status: $output"
[ -z "$output" ] || fail "said: $output"
[ ! -s "$work/calls" ] || fail "called: $(cat "$work/calls")"

echo "-- two missing: says which, installs these and no others, as root"
absent="libcmocka-dev ninja-build"
run build test
[ $status -eq 0 ] || fail "status $status: $output"
[ "$output" = "setup: installing ninja-build libcmocka-dev" ] || fail "said: $output"
grep -qx 'apt-get install -y --no-install-recommends ninja-build libcmocka-dev' "$work/calls" || fail "called: $(cat "$work/calls")"
grep -qx sudo "$work/calls" || fail "not as root"

echo "-- missing in a group that was not asked for: nothing"
absent="blender"
run build test
[ $status -eq 0 ] && [ -z "$output" ] && [ ! -s "$work/calls" ] || fail "status $status: $output"

echo "-- already root: without sudo"
stand_in id 'echo 0'
absent="g++"
run test
[ "$output" = "setup: installing g++" ] || fail "said: $output"
! grep -q sudo "$work/calls" || fail "used sudo"

echo "-- apt-get fails: its words and a failure"
stand_in apt-get 'echo "E: Unable to locate"; exit 100'
run test
[ $status -ne 0 ] || fail "no failure"
case "$output" in *"E: Unable to locate"*"setup: apt-get failed"*) ;; *) fail "said: $output" ;; esac

echo "-- a group that does not exist: a failure, not silence"
run tests
[ $status -ne 0 ] || fail "no failure for an unknown group"
case "$output" in *"no group \"tests\""*) ;; *) fail "said: $output" ;; esac
