# SPDX-License-Identifier: MIT
"""Shared by the tests of the add-on: installs the zip as a user would, and builds scenes."""
import array
import glob
import math
import os
import struct
import sys

import bpy
from mathutils import Matrix, Vector

ARGUMENTS = sys.argv[sys.argv.index('--') + 1:]


def install():
    """From the zip, into the user folder of this run (BLENDER_USER_SCRIPTS), as Preferences > Add-ons > Install does."""
    path, = glob.glob(os.path.join(ARGUMENTS[0], 'supple-*.zip'))
    bpy.ops.preferences.addon_install(filepath=os.path.abspath(path), overwrite=True)
    assert bpy.ops.preferences.addon_enable(module='supple_addon') == {'FINISHED'}
    import supple_addon
    assert supple_addon.settings.library_problem is None, supple_addon.settings.library_problem
    return supple_addon


def empty():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 20
    return scene


def import_character(path):
    """A glTF or FBX file, by Blender's own importers as they should be."""
    if path.lower().endswith('.fbx'):
        bpy.ops.import_scene.fbx(filepath=path)
        return
    import numpy
    from io_scene_gltf2.blender.imp import gltf2_blender_mesh as importer
    numpy.bool = bool  # Blender 3.4's add-on is older than Debian's NumPy, which has dropped the alias
    skin = importer.skin_into_bind_pose

    def skin_used_joints(gltf, index, joints, weights, **rest):
        """Some exporters fill unused influences with joints that the skin does not have."""
        for these, shares in zip(joints, weights):
            these[shares == 0] = 0
        return skin(gltf, index, joints, weights, **rest)
    importer.skin_into_bind_pose = skin_used_joints
    try:
        bpy.ops.import_scene.gltf(filepath=path)
    finally:
        importer.skin_into_bind_pose = skin


def select(*things):
    for thing in bpy.context.scene.objects:
        thing.select_set(thing in things)
    bpy.context.view_layer.objects.active = things[0] if things else None


def make_column(name='Column', scale=1.0, rings=17, sides=12):
    """A closed column of height 2 along Z on two bones that bends, with its armature as parent."""
    vertices, faces, lower = [], [], []
    for ring in range(rings):
        for side in range(sides):
            angle = 2 * math.pi * side / sides
            vertices.append((0.4 * scale * math.cos(angle), 0.4 * scale * math.sin(angle), 2 * scale * ring / (rings - 1)))
            if ring + 1 < rings:
                a, b = ring * sides + side, ring * sides + (side + 1) % sides
                faces.append((a, b, b + sides, a + sides))
    faces += [tuple(reversed(range(sides))), tuple(range((rings - 1) * sides, rings * sides))]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    armature = bpy.data.objects.new(name + ' Rig', bpy.data.armatures.new(name + ' Rig'))
    bpy.context.scene.collection.objects.link(armature)
    select(armature)
    bpy.ops.object.mode_set(mode='EDIT')
    bones = armature.data.edit_bones
    for index, bone_name in enumerate(('lower', 'upper')):
        bone = bones.new(bone_name)
        bone.head, bone.tail = (0, 0, index * scale), (0, 0, (index + 1) * scale)
        bone.parent = bones['lower'] if index else None
    bpy.ops.object.mode_set(mode='OBJECT')
    for index, bone_name in enumerate(('lower', 'upper')):
        group = thing.vertex_groups.new(name=bone_name)
        for i, vertex in enumerate(vertices):
            weight = min(max(vertex[2] / scale - 0.75, 0.0) * 2.0, 1.0)
            weight = weight if index else 1.0 - weight
            if weight > 0:
                group.add((i,), weight, 'REPLACE')
    thing.parent = armature
    thing.modifiers.new('Armature', 'ARMATURE').object = armature
    bone = armature.pose.bones['upper']
    bone.rotation_mode = 'XYZ'
    for frame, angle in ((1, 0), (6, 1.0), (11, -0.5), (16, 0.7), (20, 0)):
        bone.rotation_euler = (angle, 0, 0)
        bone.keyframe_insert('rotation_euler', frame=frame)
    return thing, armature


def soft_column(**options):
    scene = empty()
    thing, armature = make_column(**options)
    select(thing)
    assert bpy.ops.supple.enable() == {'FINISHED'}
    return scene, thing, armature


def play(scene, thing):
    """Frames as shown by the preview, from the start."""
    shown = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        shown.append(positions(thing).tobytes())
    return shown


def bake(folder, target='CACHE'):
    scene = bpy.context.scene
    scene.supple.folder = folder
    scene.supple.bake_to = target
    assert bpy.ops.supple.bake() == {'FINISHED'}


def message(operator, **options):
    """What an operator that must fail reports."""
    try:
        operator(**options)
    except RuntimeError as error:
        return str(error)
    raise AssertionError('no error')


def positions(thing, world=False):
    """Of the mesh as Blender evaluates it now."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = thing.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    co = array.array('f', bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get('co', co)
    evaluated.to_mesh_clear()
    if not world:
        return co
    matrix = evaluated.matrix_world
    return [matrix @ Vector(co[i:i + 3]) for i in range(0, len(co), 3)]


def read_pc2(path):
    """All frames of a file, as bytes."""
    with open(path, 'rb') as file:
        magic, version, count, _, _, frames = struct.unpack('<12siiffi', file.read(32))
        assert magic == b'POINTCACHE2\0' and version == 1
        data = [file.read(12 * count) for _ in range(frames)]
        assert len(data[-1]) == 12 * count and file.read(1) == b''
        return data


def worst(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def finite(values):
    return all(math.isfinite(value) for value in values)


def run(cases):
    """Runs all functions; any failure ends Blender with an error."""
    import time
    import traceback
    wanted = ARGUMENTS[1:]
    failed = 0
    for case in cases:
        if wanted and case.__name__ not in wanted:
            continue
        begin = time.monotonic()
        try:
            case()
            print('ok      %s (%.1f s)' % (case.__name__, time.monotonic() - begin))
        except Exception:
            traceback.print_exc()
            print('FAILED  %s' % case.__name__)
            failed += 1
    sys.stdout.flush()
    if failed:
        sys.exit(1)
