#!/usr/bin/env bash
# read.sh SUPPLE EXAMPLES: Godot 3 imports a bake, and vertices that its animation gives are those of the cache; the shader
# for vertex animation textures, drawn by Mesa's software renderer, gives the same picture as meshes made of the cache.
set -euo pipefail
supple=$(realpath "$1")
examples=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for program in godot3-server godot3 xvfb-run; do
	command -v $program > /dev/null || { echo "$program is missing (scripts/setup.sh readers)"; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf 'config_version=4\n[application]\nconfig/name="hero"\n[display]\nwindow/size/width=320\nwindow/size/height=320\n' > project.godot
cp "$here"/*.gd "$examples/vat/vat.gdshader" .
for kind in glb pc2; do
	"$supple" bake builtin:bunny --clip Walk --method lattice --fps 30 -q -o "hero.$kind"
done
"$supple" bake builtin:bunny --clip Walk --method lattice --fps 30 --as bones -q -o skinned.glb
"$supple" bake skinned.glb --clip Walk --method lbs --fps 30 -q -o skinned.pc2
"$supple" bake builtin:bunny --clip Walk --method lattice --fps 30 --as vat -q -o vat.exr
# at the rate of the bake, every key kept
printf '[remap]\nimporter="scene"\ntype="PackedScene"\n[params]\nanimation/fps=30\nanimation/optimizer/enabled=false\n' > skinned.glb.import
# without a display it complains of meshes that it cannot draw, and the editor does not quit by itself
timeout 100 godot3-server --path . -e > log 2>&1 &
editor=$!
for _ in $(seq 100); do
	imported=$(compgen -G '.import/*.glb-*.md5' | wc -l || true)
	[ "$imported" -eq 3 ] && break
	sleep 1
done
kill $editor
timeout 100 godot3-server --path . -s read.gd > log 2>&1 || { tail -n 20 log; exit 1; }
grep -E '^(hero|bunny|eyes)' log
grep -q '^hero: right' log
timeout 100 godot3-server --path . -s read_bones.gd > log 2>&1 || { tail -n 20 log; exit 1; }
grep -E '^(skinned|bunny|eyes)' log
grep -q '^skinned: right' log
timeout 100 godot3-server --path . -s read_vat.gd > log 2>&1 || { tail -n 20 log; exit 1; }
grep -E '^vat' log
grep -q '^vat: right' log
timeout 100 xvfb-run -a godot3 --path . -s draw_vat.gd --video-driver GLES3 --audio-driver Dummy > log 2>&1 || { tail -n 20 log; exit 1; }
grep -E '^drawn' log
grep -q '^drawn: right' log
