#!/usr/bin/env bash
# Makes the pictures of docs/pictures anew: poses by Supple, drawn by Blender. Only built-in characters appear.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
make --no-print-directory all
scripts/setup.sh readers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/supple pose builtin:tube --rest --quiet -o "$work/rest.glb"
build/supple pose builtin:tube --clip twist --time 1 --skinning linear --quiet -o "$work/linear.glb"
build/supple pose builtin:tube --clip twist --time 1 --skinning dual --quiet -o "$work/dual.glb"
mkdir -p docs/pictures
blender -b --factory-startup --python-exit-code 3 --python scripts/pictures.py -- docs/pictures/twist.png \
	"at rest" "$work/rest.glb" "linear" "$work/linear.glb" "dual quaternion" "$work/dual.glb" > "$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
echo "docs/pictures/twist.png"
