#!/usr/bin/env bash
# Every real file is read, or refused for a reason that a user understands; counts as they were measured by others.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
need_assets
cd "$SUPPLE_ASSETS" || exit 1

while IFS= read -r file; do
	case $file in
		*CesiumMan-Draco*)
			run 1 info "$file" --json
			err "KHR_draco_mesh_compression"
			silent stdout
			continue
			;;
	esac
	run 0 info "$file" --json
	json "file=$file" counts.meshes surface.watertight
done < <(find characters meshes motions -type f \( -name '*.glb' -o -name '*.gltf' -o -name '*.fbx' -o -name '*.dae' -o -name '*.bvh' \
	-o -name '*.obj' -o -name '*.ply' -o -name '*.stl' \) | LC_ALL=C sort)

# file, then what must hold
check() {
	local file=$1
	shift
	run 0 info "$file" --json
	json "$@"
}
check characters/CesiumMan.glb counts.vertices=3273 counts.triangles=4672 counts.joints=19 counts.clips=1 counts.influences=4 \
	surface.watertight=true surface.parts=1 surface.welded_vertices=2338 clips.0.end~2.0
check characters/Fox.glb counts.vertices=1728 counts.triangles=576 counts.joints=24 surface.watertight=true surface.welded_vertices=290 \
	clips.0.name=Survey clips.1.name=Walk clips.2.name=Run clips.0.end~3.4167 counts.influences=4
check characters/RiggedSimple.glb counts.vertices=160 counts.triangles=188 counts.joints=2 counts.influences=2 surface.welded_vertices=96
check characters/SimpleSkin.gltf counts.vertices=10 counts.triangles=8 surface.watertight=false surface.boundary_edges=10
check characters/RecursiveSkeletons.glb counts.vertices=40 counts.triangles=76 counts.joints=840 counts.skins=84 counts.instances=84
check characters/RobotExpressive.glb counts.vertices=7214 counts.triangles=3237 counts.joints=43 counts.clips=14 counts.meshes=14 counts.skins=2 \
	surface.watertight=false surface.boundary_edges=232 surface.non_manifold_edges=148 surface.parts=61 surface.degenerate_triangles=3 \
	surface.duplicate_triangles=64
[ "$(value counts.repairs)" -gt 0 ] || fail "weights that sum to 1.76 are not mentioned"
check characters/Yeti/Yeti.gltf counts.vertices=19476 counts.triangles=35146 counts.joints=67 surface.parts=16 surface.watertight=true
check characters/hand-left.glb counts.vertices=1070 counts.triangles=1808 counts.joints=26 counts.clips=0
check characters/dragon-animations.glb counts.joints=100 surface.boundary_edges=6 surface.non_manifold_edges=4 surface.parts=17
check characters/Elf/Elf_allAnimations.gltf counts.meshes=0 counts.clips=4 clips.0.name=Run bounds=null
check motions/cmu_02_01_walk.bvh counts.meshes=0 counts.clips=1 clips.0.duration~2.86
check meshes/spot_low_resolution.obj counts.vertices counts.triangles=1654 surface.watertight=true surface.welded_vertices=829
check characters/fbx/maya_kenney_character_7700_binary.fbx counts.triangles=1604 surface.watertight=true surface.welded_vertices=804 \
	surface.parts=1

# posed at a time, everything that has a mesh comes out closed or open as it went in
run 0 pose characters/Fox.glb --clip Run --time 0.5 -o "$folder/fox.glb"
run 0 info "$folder/fox.glb" --json
json surface.watertight=true surface.welded_vertices=290 counts.vertices=1728 counts.images=1 counts.materials=1
run 0 pose characters/fbx/blender_279_sausage_7400_binary.fbx --clip '#0' -o "$folder/sausage.obj"
run 1 pose motions/cmu_02_01_walk.bvh -o "$folder/x.obj"
err "the file has no mesh" "--motion"

# a motion from elsewhere is followed by joints that the character's own clip hardly turns, unless these are asked for
kick="characters/RiggedFigure.glb --motion motions/cmu_74_06_kick.bvh --from 0.8 --to 1"
run 0 compare $kick --method layered,layered:joints=guessed --json
awk "BEGIN { exit !($(value panels.0.shift_max) < 0.05 && $(value panels.1.shift_max) > 0.05) }" || fail "a motion that is not followed"
run 0 info characters/Fox.glb
out Survey Walk Run 1,728 watertight
# in centimetres, which its author did not say
run 0 build characters/Fox.glb --method layered -o "$folder/fox.flesh"
err "155 m large" centimetres
finish
