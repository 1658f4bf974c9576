# SPDX-License-Identifier: MIT
# xvfb-run -a -s '-screen 0 1280x800x24' blender --factory-startup --enable-event-simulate --python window.py -- FOLDER_OF_THE_ZIP BUNNY.glb OUT
#
# The add-on in a window, driven by events as a user would: panel and soft character as pictures (OUT/panel.png,
# OUT/bake.png), a bake that Esc stops, a bake that ends by itself. Prints "window: ok", or what failed.
import os
import sys
import tempfile
import traceback

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's glTF add-on is older than Debian's NumPy, which has dropped the alias
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *

addon = install()
model, out = ARGUMENTS[1:3]
os.makedirs(out, exist_ok=True)
folder = tempfile.mkdtemp()
bpy.context.preferences.view.show_splash = False


def window():
    return bpy.context.window_manager.windows[0]


def view_area():
    return next(area for area in window().screen.areas if area.type == 'VIEW_3D')


def picture(name):
    with bpy.context.temp_override(window=window(), screen=window().screen):
        bpy.ops.screen.screenshot(filepath=os.path.join(out, name))


def press(key, x=None, y=None):
    place = view_area()
    if x is None:
        x, y = place.x + place.width // 3, place.y + place.height // 2
    window().event_simulate(type='MOUSEMOVE', value='NOTHING', x=x, y=y)
    window().event_simulate(type=key, value='PRESS', x=x, y=y)
    window().event_simulate(type=key, value='RELEASE', x=x, y=y)


def start_bake(frames):
    scene = bpy.context.scene
    scene.frame_end = frames
    scene.supple.folder = folder
    area = view_area()
    region = next(r for r in area.regions if r.type == 'WINDOW')
    with bpy.context.temp_override(window=window(), area=area, region=region):
        assert bpy.ops.supple.bake('INVOKE_DEFAULT') == {'RUNNING_MODAL'}


def soft_meshes():
    return [o for o in bpy.context.scene.objects if o.type == 'MESH' and o.supple.enabled]


def load():
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.ops.import_scene.gltf(filepath=model)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = 24, 40
    for thing in [o for o in scene.objects if o.type == 'MESH' and not o.modifiers]:
        bpy.data.objects.remove(thing)  # shapes of bones
    rig = next(o for o in scene.objects if o.type == 'ARMATURE')
    rig.show_in_front = False
    select(rig)
    rig.supple.softness = 0.8
    assert bpy.ops.supple.enable() == {'FINISHED'}
    # Blender 3.4 cannot choose a tab of the sidebar by a script, nor open a fold: the panel comes to the first tab, open
    sidebar = [cls for cls in addon.panel.CLASSES if cls.bl_space_type == 'VIEW_3D']
    for cls in reversed(sidebar):
        bpy.utils.unregister_class(cls)
    for cls in sidebar:
        cls.bl_category, cls.bl_options = 'Item', set()
        bpy.utils.register_class(cls)
    scene.supple.preview = True
    assert scene.supple.preview, addon.preview.message()
    area = view_area()
    area.spaces[0].show_region_ui = True
    area.spaces[0].overlay.show_bones = False
    region = next(r for r in area.regions if r.type == 'WINDOW')
    with bpy.context.temp_override(window=window(), area=area, region=region):
        bpy.ops.view3d.view_axis(type='FRONT')
        bpy.ops.view3d.view_all()
    return 2.0


def fold_others():
    """Closes Blender's own panel above, as the key A over its header does."""
    region = next(r for r in view_area().regions if r.type == 'UI')
    press('A', region.x + region.width // 2, region.y + region.height - 20)
    return 1.0


def play():
    scene = bpy.context.scene
    for frame in range(1, 13):
        scene.frame_set(frame)
    return 4.0


def shoot():
    picture('panel.png')
    bpy.context.scene.supple.preview = False
    return 1.0


def bake_and_stop():
    start_bake(2000)
    return 4.0


def stop():
    picture('bake.png')
    press('ESC')
    return 4.0


def check_stopped():
    meshes = soft_meshes()
    assert meshes and all(o.supple.baked == 'CACHE' for o in meshes), 'Esc did not end the bake'
    counts = [len(read_pc2(os.path.join(folder, name))) for name in os.listdir(folder)]
    print('window: Esc kept %d frames' % counts[0])
    assert len(set(counts)) == 1 and 0 < counts[0] < 2000, counts
    assert not [name for name in os.listdir(folder) if name.endswith('.part')]
    select(*meshes)
    assert bpy.ops.supple.clear() == {'FINISHED'}
    start_bake(6)
    return 8.0


def check_whole():
    counts = [len(read_pc2(os.path.join(folder, name))) for name in os.listdir(folder)]
    assert counts and all(count == 6 for count in counts), counts
    assert all('Supple' in o.modifiers for o in soft_meshes())
    print('window: ok')
    return None


steps = iter([load, fold_others, play, shoot, bake_and_stop, stop, check_stopped, check_whole])


def go_on():
    """The next step, after the events of the last have been handled."""
    try:
        wait = next(steps)()
    except Exception:
        traceback.print_exc()
        print('window: FAILED')
        wait = None
    sys.stdout.flush()
    if wait is None:
        bpy.ops.wm.quit_blender()
    return wait


bpy.app.timers.register(go_on, first_interval=2.0)
