#!/usr/bin/env bash
# farm.sh FOLDER WORK: bakes two actions from the command line, then attaches a bake, and renders the file by a Blender without the add-on.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 work=$2
cat > "$work/make.py" << 'END'
import os, sys
sys.path.insert(0, os.environ['HERE'])
from common import *
install()
bpy.ops.wm.save_userpref()
scene = empty()
scene.frame_end = 12
thing, armature = make_column()
select(armature)
bpy.ops.supple.enable()
armature.animation_data.action.name = 'Bend'
second, other = make_column('Second')
other.location.x = 3
select(other)
bpy.ops.supple.enable()
bpy.data.actions.remove(other.animation_data.action)
other.animation_data.action = armature.animation_data.action
armature.animation_data.action.copy().name = 'Again'
bpy.data.actions['Again'].use_fake_user = True
camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
camera.location, camera.rotation_euler = (9, 0, 1), (math.pi / 2, 0, math.pi / 2)
scene.collection.objects.link(camera)
scene.camera = camera
scene.render.engine = 'BLENDER_WORKBENCH' if os.environ.get('DISPLAY') else 'CYCLES'
scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.device = 1, False, 'CPU'
scene.render.resolution_x = scene.render.resolution_y = 128
scene.world = bpy.data.worlds.new('World')
bpy.ops.wm.save_as_mainfile(filepath=os.environ['WORK'] + '/shot.blend')
END
export HERE=$here WORK=$work
blender -b --factory-startup --python-exit-code 3 --python "$work/make.py" -- "$folder" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }

farm() {
	blender -b "$work/shot.blend" --python-exit-code 3 --addons supple_addon --python-expr "import supple_addon.farm; supple_addon.farm.main()" -- "$@" > "$work/log" 2>&1
}
farm --out "$work/caches" --actions Bend,Again || { cat "$work/log"; exit 1; }
[ "$(echo $(ls "$work/caches"))" = "Column.Again.pc2 Column.Bend.pc2 Second.Again.pc2 Second.Bend.pc2" ] || { ls "$work/caches"; exit 1; }
cmp "$work/caches/Column.Bend.pc2" "$work/caches/Column.Again.pc2"
farm --out "$work/one" --actions Bend --characters "Second Rig" || { cat "$work/log"; exit 1; }
[ "$(ls "$work/one")" = Second.Bend.pc2 ] || { ls "$work/one"; exit 1; }
cmp "$work/one/Second.Bend.pc2" "$work/caches/Second.Bend.pc2"
! farm --out "$work/caches" --actions Nothing
grep -q 'no action "Nothing"; there are: ' "$work/log"
! farm --out "$work/caches" --characters Nobody
grep -q 'no soft character "Nobody"; there are: Column Rig, Second Rig' "$work/log"
! farm --out /proc/nowhere
grep -q 'cannot write' "$work/log"

# the same picture with and without the add-on; another one without the cache
render() {
	blender -b "$work/shot.blend" $2 -o "$work/$1#" -f 8 > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
render plain ""
farm --out "$work/caches" --attach || { cat "$work/log"; exit 1; }
render with "--addons supple_addon"
render without "--factory-startup"
picture() { blender -b --factory-startup --python-expr "
import bpy
image = bpy.data.images.load('$work/$18.png')
print('PIXELS', hash(tuple(round(p, 2) for p in image.pixels)))" 2> /dev/null | grep PIXELS; }
[ "$(PYTHONHASHSEED=0 picture with)" = "$(PYTHONHASHSEED=0 picture without)" ] || { echo "the render without the add-on differs"; exit 1; }
[ "$(PYTHONHASHSEED=0 picture plain)" != "$(PYTHONHASHSEED=0 picture without)" ] || { echo "the render shows no flesh"; exit 1; }
echo "farm and renders: ok"
