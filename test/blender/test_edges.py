# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python-exit-code 3 --python test_edges.py -- FOLDER_OF_THE_ZIP [CASE...]
#
# What users do around a bake: rename, link, undo, fill the disk, render, hide.
import os
import resource
import sys
import tempfile

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *

addon = install()
from supple_addon import preview


def objects_and_data():
    """Names of all that a bake could leave behind."""
    kinds = (bpy.data.objects, bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.shape_keys)
    return [sorted(thing.name for thing in kind) for kind in kinds]


def everything(thing, armature):
    """What clearing a bake must bring back."""
    return (objects_and_data(), [(m.name, m.show_viewport, m.show_render) for m in thing.modifiers],
            [b.name for b in armature.data.bones], sorted(g.name for g in thing.vertex_groups),
            len(armature.animation_data.nla_tracks), thing.data.name,
            [[(thing.vertex_groups[g.group].name, round(g.weight, 6)) for g in v.groups] for v in thing.data.vertices])


def test_names_that_become_the_same_file():
    scene = empty()
    things = [make_column(name)[0] for name in ('Body 1', 'Body_1', 'Körper', 'a/b:c')]
    select(*things)
    assert bpy.ops.supple.enable() == {'FINISHED'}
    things[1].parent.animation_data.action.fcurves[0].keyframe_points[1].co.y = -1.0
    with tempfile.TemporaryDirectory() as folder:
        bake(folder)
        assert len(os.listdir(folder)) == 4, os.listdir(folder)
        scene.frame_set(6)
        first, second = positions(things[0]), positions(things[1])
        assert worst(first, second) > 0.1
        for thing in things:
            assert len(read_pc2(bpy.path.abspath(thing.modifiers['Supple'].filepath))) == 20


def test_renames_between_bake_and_clear():
    for target in ('CACHE', 'KEYS', 'BONES'):
        scene, thing, armature = soft_column()
        with tempfile.TemporaryDirectory() as folder:
            bake(folder, target)
            thing.name, armature.name = 'Renamed', 'Renamed Rig'
            thing.data.name += ' new'
            armature.data.name = 'Renamed Bones'
            for action in bpy.data.actions:
                action.name += ' new'
            for bone in armature.data.bones:
                if bone.name.startswith('Supple'):
                    bone.name = 'Other ' + bone.name[-2:]
            for track in armature.animation_data.nla_tracks:
                track.name = 'Mine'
            scene.frame_set(5)
            select(thing)
            assert bpy.ops.supple.clear() == {'FINISHED'}
        assert [m.name for m in thing.modifiers] == ['Armature'] and thing.modifiers[0].show_viewport, target
        assert [b.name for b in armature.data.bones] == ['lower', 'upper'], (target, armature.data.bones.keys())
        assert thing.data.shape_keys is None and len(armature.animation_data.nla_tracks) == 0, target
        assert sorted(g.name for g in thing.vertex_groups) == ['lower', 'upper'], (target, thing.vertex_groups.keys())
        assert len(bpy.data.meshes) == 1 and len(bpy.data.actions) == 1, (target, objects_and_data())


def test_clear_brings_everything_back():
    for target in ('CACHE', 'KEYS', 'BONES'):
        scene, thing, armature = soft_column()
        thing.modifiers.new('Subdivision', 'SUBSURF')
        before = everything(thing, armature)
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                bake(folder, target)
                assert bpy.ops.supple.clear() == {'FINISHED'}
                assert everything(thing, armature) == before, (target, everything(thing, armature), before)


def test_undo_of_a_bake():
    for target in ('CACHE', 'KEYS', 'BONES'):
        scene, thing, armature = soft_column()
        before = everything(thing, armature)
        bpy.ops.ed.undo_push(message='before')
        with tempfile.TemporaryDirectory() as folder:
            bake(folder, target)
            bpy.ops.ed.undo_push(message='bake')
            bpy.ops.ed.undo()
            thing, armature = bpy.data.objects['Column'], bpy.data.objects['Column Rig']
            assert everything(thing, armature) == before and thing.supple.baked == '', target
            bpy.ops.ed.redo()
            assert bpy.data.objects['Column'].supple.baked == target
            select(bpy.data.objects['Column'])
            assert bpy.ops.supple.clear() == {'FINISHED'}


def test_linked_data_of_local_objects():
    scene, thing, armature = soft_column()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'library.blend')
        bpy.ops.wm.save_as_mainfile(filepath=path)
        scene, thing, armature = soft_column()
        with bpy.data.libraries.load(path, link=True) as (there, here):
            here.meshes, here.armatures = ['Column'], ['Column Rig']
        thing.data, armature.data = here.meshes[0], here.armatures[0]
        select(thing)
        assert 'linked' in message(bpy.ops.supple.guess)
        bake(os.path.join(folder, 'cache'))
        assert len(read_pc2(os.path.join(folder, 'cache', 'Column.pc2'))) == 20
        assert bpy.ops.supple.clear() == {'FINISHED'}
        for target in ('KEYS', 'BONES'):
            scene.supple.bake_to = target
            assert 'linked' in message(bpy.ops.supple.bake), target
            assert [m.name for m in thing.modifiers] == ['Armature'] and thing.modifiers[0].show_viewport


def test_an_update_under_a_running_blender():
    """Installing a zip writes over the library in place."""
    scene, thing, armature = soft_column()
    folder = os.path.join(os.path.dirname(addon.__file__), 'supple', 'lib')
    path = os.path.join(folder, os.listdir(folder)[0])
    with open(path, 'r+b') as library:
        whole = library.read()
        library.truncate(0)
    try:
        with tempfile.TemporaryDirectory() as caches:
            bake(caches)
    finally:
        with open(path, 'wb') as library:
            library.write(whole)


def test_a_disk_that_is_full():
    """Files of this process may not grow beyond 16 kB: the first frames fit."""
    scene, thing, armature = soft_column()
    scene.frame_end = 200
    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    with tempfile.TemporaryDirectory() as folder:
        scene.supple.folder = folder
        resource.setrlimit(resource.RLIMIT_FSIZE, (16384, was[1]))
        try:
            assert 'cannot write' in message(bpy.ops.supple.bake)
            scene.supple.preview = True
            assert not scene.supple.preview and 'cannot write' in preview.message(), preview.message()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, was)
        assert os.listdir(folder) == [] and [m.name for m in thing.modifiers] == ['Armature']
        assert thing.modifiers[0].show_viewport
        bake(folder)


def test_the_pose_is_blenders():
    """Constraints, drivers, inverse kinematics and NLA: plain skinning follows all of it."""
    scene, thing, armature = soft_column()
    target = bpy.data.objects.new('Target', None)
    scene.collection.objects.link(target)
    target.location = (0.5, 0.5, 1.5)
    target.keyframe_insert('location', frame=1)
    target.location = (-0.5, 0.2, 1.7)
    target.keyframe_insert('location', frame=20)
    constraint = armature.pose.bones['upper'].constraints.new('IK')
    constraint.target = target
    curve = armature.pose.bones['lower'].driver_add('location', 1)
    curve.driver.expression = 'frame * 0.01'
    animation = armature.animation_data
    track = animation.nla_tracks.new()
    track.strips.new('Strip', 3, animation.action).scale = 0.5
    animation.action = None
    plain = play(scene, thing)
    assert worst(array.array('f', plain[0]), array.array('f', plain[-1])) > 0.2
    armature.supple.method = 'lbs'
    scene.supple.preview = True
    assert scene.supple.preview, preview.message()
    for a, b in zip(plain, play(scene, thing)):
        assert worst(array.array('f', a), array.array('f', b)) < 1e-4
    scene.supple.preview = False


def test_driven_shape_keys():
    scene, thing, armature = soft_column()
    thing.shape_key_add(name='Basis')
    key = thing.shape_key_add(name='Fat')
    for point in key.data:
        point.co.x *= 1.5
    curve = key.driver_add('value')
    curve.driver.expression = 'frame / 20'
    plain = play(scene, thing)
    armature.supple.method = 'lbs'
    scene.supple.preview = True
    assert scene.supple.preview, preview.message()
    for a, b in zip(plain, play(scene, thing)):
        assert worst(array.array('f', a), array.array('f', b)) < 1e-4


def test_every_method_runs():
    scene, thing, armature = soft_column()
    plain = play(scene, thing)
    for method in addon.supple.methods():
        armature.supple.method = method
        scene.supple.preview = True
        assert scene.supple.preview, (method, preview.message())
        soft = play(scene, thing)
        scene.supple.preview = False
        assert all(worst(array.array('f', a), array.array('f', b)) < 0.6 for a, b in zip(plain, soft)), method


def test_two_characters_touch():
    def run(touch):
        scene, first, rig = soft_column()
        second, other = make_column('Second')
        other.location.x = 0.78
        select(first, second)
        assert bpy.ops.supple.enable() == {'FINISHED'}
        rig.animation_data_clear()
        other.animation_data_clear()
        rig.supple.use_others = other.supple.use_others = touch
        scene.supple.preview = True
        assert scene.supple.preview, preview.message()
        play(scene, first)
        left, right = positions(first, True), positions(second, True)
        scene.supple.preview = False
        return max(p.x for p in left if 0.5 < p.z < 1.5) - min(p.x for p in right if 0.5 < p.z < 1.5)
    apart, through = run(True), run(False)
    assert through > 0.01 and apart < 0.5 * through, (apart, through)


def test_two_meshes_of_one_armature():
    scene, thing, armature = soft_column()
    shirt = thing.copy()
    shirt.data = thing.data.copy()
    shirt.name = 'Shirt'
    shirt.data.transform(Matrix.Diagonal((1.1, 1.1, 0.9, 1)))
    scene.collection.objects.link(shirt)
    select(armature)
    assert bpy.ops.supple.enable() == {'FINISHED'}
    assert thing.supple.enabled and shirt.supple.enabled
    with tempfile.TemporaryDirectory() as folder:
        bake(folder)
        assert sorted(os.listdir(folder)) == ['Column.pc2', 'Shirt.pc2']
        # one is cleared, the other stays
        select(shirt)
        assert bpy.ops.supple.clear() == {'FINISHED'}
        assert thing.supple.baked == 'CACHE' and shirt.supple.baked == ''
    assert bpy.ops.supple.disable() == {'FINISHED'}
    assert thing.supple.enabled


def test_hidden_characters():
    scene, thing, armature = soft_column()
    shown = None
    for hide in (lambda: None, lambda: thing.hide_set(True), lambda: armature.hide_set(True)):
        hide()
        with tempfile.TemporaryDirectory() as folder:
            scene.supple.folder = folder
            scene.supple.bake_to = 'CACHE'
            select(thing)
            assert bpy.ops.supple.bake() == {'FINISHED'}
            frames = read_pc2(os.path.join(folder, 'Column.pc2'))
            shown = shown or frames
            assert frames == shown
            addon.baking.clear(thing)
    collection = bpy.data.collections.new('Away')
    scene.collection.children.link(collection)
    for part in (thing, armature):
        collection.objects.link(part)
        scene.collection.objects.unlink(part)
    bpy.context.view_layer.layer_collection.children['Away'].exclude = True
    assert 'view layer' in message(bpy.ops.supple.bake)


def test_a_render_shows_the_preview():
    """A frame that was never played is simulated, or the mesh is where its armature has it: never at the origin."""
    scene, thing, armature = soft_column()
    camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
    camera.location, camera.rotation_euler = (9, 0, 1), (math.pi / 2, 0, math.pi / 2)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = 'CYCLES', 1, False
    scene.render.resolution_x = scene.render.resolution_y = 64
    scene.render.film_transparent = True
    scene.world = bpy.data.worlds.new('World')

    def pixels(path):
        image = bpy.data.images.load(path)
        values = [round(value, 2) for value in image.pixels]
        bpy.data.images.remove(image)
        return values

    def still(frame, folder):
        scene.frame_set(frame)
        scene.render.filepath = os.path.join(folder, 'shot.png')
        bpy.ops.render.render(write_still=True)
        return pixels(scene.render.filepath)

    def film(folder):
        scene.frame_set(1)
        scene.frame_end = 9
        scene.render.filepath = os.path.join(folder, 'film#')
        bpy.ops.render.render(animation=True)
        return [pixels(os.path.join(folder, 'film%d.png' % frame)) for frame in range(1, 10)]
    with tempfile.TemporaryDirectory() as folder:
        plain = still(12, folder)
        scene.supple.preview = True
        assert sum(plain[3::4]) > 50 and sum(still(12, folder)[3::4]) > 0.9 * sum(plain[3::4])
        shown = film(folder)
        scene.supple.preview = False
        bake(os.path.join(folder, 'cache'))
        for frame, (a, b) in enumerate(zip(shown, film(folder))):
            assert a == b, frame + 1


run([value for name, value in sorted(globals().items()) if name.startswith('test_')])
