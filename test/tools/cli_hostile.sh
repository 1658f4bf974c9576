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
	err "leaves the document's folder" "--allow-outside"
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
err "outside the scene's folder" "--allow-outside"

# ---- two bakes into one output: one is refused, the other is as if alone ----
bake="bake builtin:tube --method lbs -q"
run 0 $bake -o alone.pc2
"$SUPPLE" $bake -o both.pc2 > first.log 2>&1 &
first=$!
status=0
"$SUPPLE" $bake -o both.pc2 > second.log 2>&1 || status=$?
wait $first || status=$((status + $?))
[ "$status" -eq 0 ] || grep -q "another bake" first.log second.log || fail "two bakes at once: status $status"
cmp -s alone.pc2 both.pc2 || fail "two bakes at once: the output differs"
ln -s secret.bin linked.pc2.part
run 3 $bake -o linked.pc2
err "a link"
[ "$(cat secret.bin)" = secret ] || fail "a bake wrote through a link"

# ---- a live take of a character that is no glTF file: its document has a character of its own ----
"$VMC_SENDER" stream walk.vmc 0.3 || fail "no stream"
status=0
"$SUPPLE" live builtin:bunny --replay walk.vmc --method lbs -o take.pc2 -q 2> .stderr || status=$?
[ "$status" -eq 0 ] || grep -q "built without liblo" .stderr || fail "live: exit status $status: $(cat .stderr)"

# ---- everything else of the kind, where it is there ----
hostile=${SUPPLE_ASSETS:-/nonexistent}/hostile
if [ ! -d "$hostile" ]; then
	echo "no hostile files: the rest is skipped"
	finish
fi

sanitized=false
grep -q __asan_init "$SUPPLE" && sanitized=true

# harmless WORD...: runs supple within 1 GB of addresses (sanitizers take more; 512 MB of memory is less) and 5 s of processor time; exit status 0 or 1, and a message with 1
harmless() {
	local status=0
	command_line="supple $*"
	(
		$sanitized || ulimit -v 1048576
		ulimit -t 5
		exec "$SUPPLE" "$@"
	) > .stdout 2> .stderr < /dev/null || status=$?
	[ "$status" -le 1 ] || { fail "$command_line: exit status $status"; head -c 1000 .stderr; }
	[ "$status" -ne 1 ] || grep -q '^supple: ' .stderr || fail "$command_line: no message"
}
for file in "$hostile"/*.gltf "$hostile"/*.fbx "$hostile"/*.dae "$hostile"/*.ply; do
	harmless convert "$file" -o out.glb -q
done
for file in "$hostile"/*.glb; do
	harmless convert "$file" -o out.glb -q
	for method in position lattice points fem layered modes; do
		rm -f out.flesh
		harmless build "$file" -o out.flesh --method $method -q
		# what was built can be loaded
		if $sanitized && [ $method != layered ]; then continue; fi
		[ ! -e out.flesh ] || run 0 bake "$file" --flesh out.flesh -o out.glb -q --rest
	done
done
for file in "$hostile"/*.flesh; do
	run 1 bake "$SUPPLE_ASSETS/characters/RiggedSimple.glb" --flesh "$file" -o out.glb -q
done
finish
