# SPDX-License-Identifier: MIT
"""Speed of the Blender add-on on the built-in bunny, as CSV: build, preview, bake, memory. Times come with the processor
time of all threads, which other programs on the machine change less.

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


def processor_time():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory(name):
    """A line of /proc/self/status, in MiB."""
    with open('/proc/self/status') as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name + ':')) / 1024


def timed(name, action, per_second=False):
    start, used = time.perf_counter(), processor_time()
    action()
    wall, used = time.perf_counter() - start, processor_time() - used
    if per_second:
        row(name, frames / wall, 'frames/s')
        row(name + ' (processor)', 1000.0 * used / frames, 'ms/frame')
    else:
        row(name, wall, 's')
        row(name + ' (processor)', used, 's')


def play():
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        bpy.context.evaluated_depsgraph_get().update()


timed('blender alone', play, True)
with tempfile.TemporaryDirectory() as folder:
    scene.supple.folder = folder
    before = memory('VmRSS')
    with open('/proc/self/clear_refs', 'w') as peak:
        peak.write('5')  # the peak counts from now on
    timed('bake to mesh cache', lambda: bpy.ops.supple.bake())
    row('memory added at most by the bake', memory('VmHWM') - before, 'MiB')
    row('memory of the process at most', memory('VmHWM'), 'MiB')
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    row('cache', size / 2 ** 20, 'MiB')
    bpy.ops.supple.clear()
timed('pick up and build', lambda: addon.stage.Stage(scene, bpy.context))
scene.supple.preview = True
assert scene.supple.preview, addon.preview.message()
timed('preview: first pass', play, True)
timed('preview: recorded', play, True)
row('memory of the process at most with the preview', memory('VmHWM'), 'MiB')
