#!/usr/bin/env bash
# Files that did harm once. Each ends with a clear message, in at most 5 s of processor time and 512 MB, whatever is done
# with it, or works.
source "$(dirname "$0")/common.sh"
cd "$folder" || exit 1

# ---- files outside of the folder of a document ----
mkdir -p inner
printf 'secret' > secret.bin
document() {
	printf '{"asset":{"version":"2.0"},"buffers":[{"byteLength":6,"uri":"%s"}],"nodes":[{"name":"a"}],"scenes":[{"nodes":[0]}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"componentType":5126,"count":3,"type":"VEC3"}]}' "$1"
}
document ../secret.bin > inner/parent.gltf
document %2e%2e/secret.bin > inner/encoded.gltf
document sub/../../secret.bin > inner/winding.gltf
ln -s ../secret.bin inner/link.bin
document link.bin > inner/link.gltf
cp secret.bin inner/own.bin
document own.bin > inner/own.gltf
mkdir -p inner/sub
for name in parent encoded winding link; do
	run 1 convert inner/$name.gltf -o out.glb
	err "outside of the folder" "--allow-outside"
	[ ! -e out.glb ] || fail "$name: an output was written"
	run 0 convert inner/$name.gltf -o out.glb --allow-outside -q
	rm -f out.glb
done
run 0 convert inner/own.gltf -o out.glb -q
run 0 convert ./inner/own.gltf -o out.glb -q
(cd inner && "$SUPPLE" convert own.gltf -o ../out.glb -q) || fail "a document without a folder in its name"
run 0 models tube --export "$folder" -q
printf '{"supple_scene":1,"name":"s","duration":0.1,"actors":[{"name":"a","file":"../tube.glb","method":"lbs"}]}' > inner/scene.json
run 1 bake inner/scene.json -o out.glb
err "outside of the folder of the scene" "--allow-outside"
finish
