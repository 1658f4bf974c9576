# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python-exit-code 3 --python against_supple.py -- FOLDER_OF_THE_ZIP OUT CHARACTER [FRAMES]
#
# Imports a character, bakes it with the add-on in two methods, and exports it to glTF for `supple bake`: OUT/exported.glb,
# OUT/METHOD.f32 (world positions of all meshes, frame after frame, +Y up). compare_bakes.py compares.
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *

addon = install()
out, path = ARGUMENTS[1:3]
count = int(ARGUMENTS[3]) if len(ARGUMENTS) > 3 else 30
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
scene = bpy.context.scene
scene.render.fps = 24
import_character(path)
rigs = [o for o in scene.objects if o.type == 'ARMATURE']
meshes = [o for o in scene.objects if o.type == 'MESH' and any(m.type == 'ARMATURE' and m.object for m in o.modifiers)]
assert rigs and meshes, 'nothing to bake'
for other in [o for o in scene.objects if o.type == 'MESH' and o not in meshes]:
    bpy.data.objects.remove(other)  # shapes of bones, props
action = max(bpy.data.actions, key=lambda a: a.frame_range[1] - a.frame_range[0])
for other in [a for a in bpy.data.actions if a != action]:
    bpy.data.actions.remove(other)  # exporters write all there are
for rig in rigs:
    data = rig.animation_data or rig.animation_data_create()
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    data.action = action
scene.frame_start = round(action.frame_range[0])
scene.frame_end = min(round(action.frame_range[1]), scene.frame_start + count - 1)
# The exporter samples from the first key on in steps of a frame, and writes the whole action: keys on the frames of the
# scene and nowhere else, so that both sides see the same poses.
frames = range(scene.frame_start, scene.frame_end + 1)
for curve in action.fcurves:
    values = [curve.evaluate(frame) for frame in frames]
    for key in reversed(list(curve.keyframe_points)):
        curve.keyframe_points.remove(key)
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set('co', [number for key in zip(frames, values) for number in key])
    for key in curve.keyframe_points:
        key.interpolation = 'LINEAR'
    curve.update()
select(*meshes)
assert bpy.ops.supple.enable() == {'FINISHED'}

os.makedirs(out, exist_ok=True)
# Exporters split vertices at seams. Each carries its number in the last texture coordinates, for compare_bakes.py.
first = 0
for thing in meshes:
    layer = thing.data.uv_layers.new(name='number')
    numbers = [first + loop.vertex_index for loop in thing.data.loops]
    layer.data.foreach_set('uv', [part for n in numbers for part in (n % 4096 / 4096, n // 4096 / 4096)])
    first += len(thing.data.vertices)
scene.frame_set(scene.frame_start)
bpy.ops.export_scene.gltf(filepath=os.path.join(out, 'exported.glb'), export_format='GLB', export_frame_range=True,
                          export_force_sampling=True, export_nla_strips=False, export_skins=True, export_all_influences=True)
with open(os.path.join(out, 'frames.txt'), 'w') as file:
    file.write(str(scene.frame_end - scene.frame_start + 1))
space = addon.pickup.Space(scene)
for method in ('lbs', 'position'):
    for rig in rigs:
        rig.supple.method = method
    folder = os.path.join(out, method)
    addon.baking.bake_all(bpy.context, folder=folder, attach=False)
    frames = {thing.name: read_pc2(os.path.join(folder, addon.baking.cache_name(thing.name) + '.pc2')) for thing in meshes}
    with open(os.path.join(out, method + '.f32'), 'wb') as file:
        for index in range(scene.frame_end - scene.frame_start + 1):
            scene.frame_set(scene.frame_start + index)
            for thing in meshes:
                local = array.array('f', frames[thing.name][index])
                addon.helper_bones._transformed(local, space.matrix @ thing.matrix_world)
                file.write(local)
