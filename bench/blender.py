# SPDX-License-Identifier: MIT
"""Speed of the Blender add-on on the built-in bunny, as CSV: build, preview, bake, memory.

    blender -b --factory-startup --python bench/blender.py -- FOLDER_OF_THE_ZIP BUNNY.glb [FRAMES]

The preview is what a user's timeline does per frame: Blender's own evaluation with the handler, without drawing."""
import os
import resource
import sys
import tempfile
import time

import bpy
import numpy

numpy.bool = bool
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../test/blender'))
from common import *

addon = install()
path = ARGUMENTS[1]
frames = int(ARGUMENTS[2]) if len(ARGUMENTS) > 2 else 1020
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
bpy.ops.import_scene.gltf(filepath=path)
scene = bpy.context.scene
scene.render.fps = 24
rig = next(o for o in scene.objects if o.type == 'ARMATURE')
rig.animation_data_clear()
scene.frame_start, scene.frame_end = 1, frames
action = bpy.data.actions['Walk'] if 'Walk' in bpy.data.actions else next(a for a in bpy.data.actions if 'Walk' in a.name)
rig.animation_data_create().action = action
for curve in action.fcurves:
    curve.modifiers.new('CYCLES')
select(rig)
bpy.ops.supple.enable()
vertices = sum(len(o.data.vertices) for o in scene.objects if o.type == 'MESH' and o.supple.enabled)


def row(name, value, unit):
    print('CSV,%s,%d,%d,%.4g,%s' % (name, vertices, frames, value, unit))
    sys.stdout.flush()


def timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def play():
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        bpy.context.evaluated_depsgraph_get().update()


row('blender alone', frames / timed(play), 'frames/s')
body = timed(lambda: addon.stage.Stage(scene, bpy.context))
row('pick up and build', body, 's')
scene.supple.preview = True
assert scene.supple.preview, addon.preview.message()
row('preview, first pass', frames / timed(play), 'frames/s')
row('preview, recorded', frames / timed(play), 'frames/s')
scene.supple.preview = False
with tempfile.TemporaryDirectory() as folder:
    scene.supple.folder = folder
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    row('bake to mesh cache', timed(lambda: bpy.ops.supple.bake()), 's')
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    row('cache', size / 2 ** 20, 'MiB')
    row('memory added at most by the bake', (after - before) / 1024, 'MiB')
    row('memory of the process at most', after / 1024, 'MiB')
