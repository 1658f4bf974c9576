#!/usr/bin/env bash
# supple convert: formats, motions, names of clips.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1

facts() { run 0 info "$1" --json; sed -E '/"(file|format|bytes|name)":/d' "$folder/.stdout"; }

run 0 convert builtin:tube -o a.glb
out "a.glb: 2 clips"
run 0 convert a.glb -o b.gltf
[ -s b.bin ] || fail "no b.bin"
run 0 convert b.gltf -o c.glb
facts a.glb > first
for file in b.gltf c.glb; do
	facts $file | diff first - || fail "$file is not what went in"
done
run 0 convert c.glb -o d.glb
cmp -s c.glb d.glb || fail "glb to glb changes bytes"

# a motion of another file with the same names; names of clips stay apart
run 0 convert builtin:tube -o e.glb --motion a.glb --json
json clips=4 added_clips.#=2 "added_clips.0.name=bend 2" "added_clips.1.name=twist 2" added_clips.0.motion=a.glb
run 0 convert builtin:tube -o e.glb --motion a.glb --motion-clip twist --name wring --in-place --motion a.glb --motion-clip '#0' --name curl
out "added wring, 2.00 s, from a.glb" "added curl" "4 clips"
run 0 info e.glb --json
json clips.2.name=wring clips.3.name=curl clips.2.duration~2
# the motion does what the clip did that it came from
run 0 pose e.glb --clip wring --time 1 -o wring.obj
run 0 pose e.glb --clip twist --time 1 -o twist.obj
paste -d ' ' <(grep '^v ' wring.obj) <(grep '^v ' twist.obj) |
	awk '{ n += 1; d = ( $2 - $6 ) ^ 2 + ( $3 - $7 ) ^ 2 + ( $4 - $8 ) ^ 2; if ( d > 1e-9 ) bad += 1 } END { exit !( n == 292 && bad == 0 ) }' ||
	fail "the motion differs from the clip it came from"
# directly, without a file between
run 0 pose builtin:tube --motion a.glb --motion-clip twist --time 1 -o direct.obj
cmp -s direct.obj wring.obj || paste -d ' ' <(grep '^v ' direct.obj) <(grep '^v ' wring.obj) |
	awk '{ d = ( $2 - $6 ) ^ 2 + ( $3 - $7 ) ^ 2 + ( $4 - $8 ) ^ 2; if ( d > 1e-9 ) bad += 1 } END { exit bad > 0 }' ||
	fail "pose --motion differs from convert --motion"

# a map: the other bone follows
echo '{ "bone2": "bone1" }' > swap.json
run 0 convert builtin:tube -o f.glb --motion a.glb --motion-clip twist --map swap.json --name swapped
run 0 pose f.glb --clip swapped --time 1 -o swapped.obj
cmp -s swapped.obj twist.obj && fail "the map has no effect"
run 1 convert builtin:tube -o g.glb --motion a.glb --motion-clip walk
err "no clip 'walk'" twist
[ ! -e g.glb ] || fail "output in spite of an error"
run 0 pose a.glb --rest -o still.glb -q
run 1 convert builtin:tube -o g.glb --motion still.glb
err "the file has no motion"

need_assets
fbx=$SUPPLE_ASSETS/characters/fbx/blender_279_sausage_7400_binary.fbx
run 0 convert "$fbx" -o sausage.glb
run 0 info "$fbx" --json
clips=$(value clips.#)
json counts.triangles=576 surface.watertight=true
run 0 info sausage.glb --json
json counts.triangles=576 surface.watertight=true "clips.#=$clips"
bunny=$SUPPLE_ASSETS/characters/human-bunny.glb
run 0 convert "$bunny" -o bunny.glb --motion "$SUPPLE_ASSETS/motions/cmu_02_01_walk.bvh" --motion "$SUPPLE_ASSETS/motions/cmu_09_01_run.bvh" --name run
out "added cmu_02_01_walk, " "added run, 1.2"
run 0 info bunny.glb --json
json clips.#=2 clips.1.name=run counts.joints=66 surface.watertight=true
run 0 pose bunny.glb --clip run --time 0.5 -o bunny.obj
finish
