# SPDX-License-Identifier: MIT
# xvfb-run -s '-screen 0 1280x800x24' blender --factory-startup --python pictures.py -- FOLDER_OF_THE_ZIP BUNNY.glb OUT.png
#
# A picture of the window with the panel and a soft character, for docs/blender.md.
import os
import sys

import bpy
import numpy

numpy.bool = bool
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *

addon = install()
model, out = ARGUMENTS[1:3]
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
bpy.ops.import_scene.gltf(filepath=model)
scene = bpy.context.scene
scene.render.fps, scene.frame_end = 24, 40
rig = next(o for o in scene.objects if o.type == 'ARMATURE')
select(rig)
bpy.ops.supple.enable()
scene.supple.preview = True
# Blender 3.4 cannot choose a tab of the sidebar: the panel comes to the first
bpy.utils.unregister_class(addon.panel.SUPPLE_PT_sidebar)
addon.panel.SUPPLE_PT_sidebar.bl_category = 'Item'
bpy.utils.register_class(addon.panel.SUPPLE_PT_sidebar)
rig.supple.softness = 0.8


def view():
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == 'VIEW_3D':
            area.spaces[0].show_region_ui = True
            region = next(r for r in area.regions if r.type == 'WINDOW')
            with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region):
                bpy.ops.view3d.view_axis(type='FRONT')
                bpy.ops.view3d.view_all()
    for frame in range(1, 13):
        scene.frame_set(frame)
    return None


def shoot():
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window, screen=window.screen):
        bpy.ops.screen.screenshot(filepath=out)
    bpy.ops.wm.quit_blender()
    return None


bpy.app.timers.register(view, first_interval=3)
bpy.app.timers.register(shoot, first_interval=10)
