# SPDX-License-Identifier: MIT
"""The built-in bunny with its armature alone, with wiggling bones, and with Supple, side by side as a picture:

    supple convert builtin:bunny -o bunny.glb
    LIBGL_ALWAYS_SOFTWARE=1 xvfb-run blender --factory-startup -b --python bench/blender_wiggle.py -- FOLDER_OF_THE_ZIP bunny.glb OUT.png [CLIP FRAME...]

Wiggling bones are springs at the tips of bones, as the wiggle add-ons have them: here on ears and tail, with the
frequency and the damping that flesh has by default."""
import math
import os
import sys
import tempfile

import bpy
import numpy

numpy.bool = bool
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../test/blender'))
from common import *

CHAINS = (('LeftEar1', 'LeftEar2', 'LeftEar3'), ('RightEar1', 'RightEar2', 'RightEar3'), ('Tail',))
FPS, SUBSTEPS = 24, 8
FREQUENCY, DAMPING = 2.0, 0.15


class Tip:
    """The end of a bone, on a damped spring."""

    def __init__(self, place):
        self.place, self.velocity = place.copy(), Vector((0, 0, 0))

    def move(self, before, after, head_before, head_after, length):
        omega, dt = 2.0 * math.pi * FREQUENCY, 1.0 / (FPS * SUBSTEPS)
        for step in range(1, SUBSTEPS + 1):
            target, head = before.lerp(after, step / SUBSTEPS), head_before.lerp(head_after, step / SUBSTEPS)
            self.velocity += dt * (omega * omega * (target - self.place) - 2.0 * DAMPING * omega * self.velocity)
            was = self.place.copy()
            self.place = head + length * (self.place + dt * self.velocity - head).normalized()
            self.velocity = (self.place - was) / dt
        return (self.place - head_after).normalized()


def read_poses(scene, rig):
    """Matrices of all bones in the space of the armature, frame by frame."""
    poses = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        poses.append({bone.name: bone.matrix.copy() for bone in rig.pose.bones})
    return poses


def wiggle(scene, rig):
    """Keys the bones of the chains, frame by frame."""
    poses = read_poses(scene, rig)
    rests = {bone.name: bone.matrix_local for bone in rig.data.bones}
    for chain in CHAINS:
        tips, before = {}, {}
        for frame, pose in enumerate(poses):
            parent = rig.data.bones[chain[0]].parent.name
            parent_matrix = pose[parent]
            for name in chain:
                length = rig.data.bones[name].length
                animated = parent_matrix @ pose[parent].inverted() @ pose[name]
                head = animated.translation.copy()
                way = (animated.to_3x3() @ Vector((0, 1, 0))).normalized()
                target = head + length * way
                if name not in tips:
                    tips[name], before[name] = Tip(target), (target, head)
                turned = tips[name].move(before[name][0], target, before[name][1], head, length)
                before[name] = (target, head)
                turn = way.rotation_difference(turned).to_matrix().to_4x4()
                matrix = Matrix.Translation(head) @ turn @ Matrix.Translation(-head) @ animated
                bone = rig.pose.bones[name]
                bone.rotation_mode = 'QUATERNION'
                basis = (parent_matrix @ rests[parent].inverted() @ rests[name]).inverted() @ matrix
                bone.location, bone.rotation_quaternion, bone.scale = basis.decompose()
                for path in ('location', 'rotation_quaternion'):
                    bone.keyframe_insert(path, frame=scene.frame_start + frame)
                parent, parent_matrix = name, matrix


def load(path, clip, x):
    """The bunny at a place of its own, playing a clip."""
    there, actions = set(bpy.data.objects), set(bpy.data.actions)
    bpy.ops.import_scene.gltf(filepath=path)
    rig = next(o for o in bpy.data.objects if o not in there and o.type == 'ARMATURE')
    for thing in [o for o in bpy.data.objects if o not in there and o.type == 'MESH' and not o.modifiers]:
        bpy.data.objects.remove(thing)  # shapes of bones
    rig.animation_data_clear()
    rig.animation_data_create().action = next(a for a in bpy.data.actions if a not in actions and clip in a.name)
    rig.location.x = x
    rig.hide_render = True
    return rig


def add_label(text, x, z):
    curve = bpy.data.curves.new(text, 'FONT')
    curve.body, curve.size, curve.align_x = text, 0.16, 'CENTER'
    label = bpy.data.objects.new(text, curve)
    label.location, label.rotation_euler = (x, -1, z), (math.pi / 2, 0, 0)
    bpy.context.scene.collection.objects.link(label)


def prepare_render(scene, center, width, height):
    camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
    camera.data.type, camera.data.ortho_scale = 'ORTHO', width
    camera.location, camera.rotation_euler = (center[0], -20, center[1]), (math.pi / 2, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = 'BLENDER_WORKBENCH'
    scene.display.shading.light, scene.display.shading.show_cavity = 'STUDIO', True
    scene.world = bpy.data.worlds.new('World')
    scene.world.color = (0.18, 0.18, 0.2)
    scene.render.resolution_x, scene.render.resolution_y = 800, int(800 * height / width)


def render(scene, frames, folder, out):
    """One row a frame."""
    rows = []
    for frame in frames:
        scene.frame_set(frame)
        scene.render.filepath = os.path.join(folder, 'row.png')
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        rows.append(numpy.array(image.pixels[:], 'f4').reshape(image.size[1], image.size[0], 4))
        bpy.data.images.remove(image)
    whole = numpy.concatenate(rows[::-1])
    picture = bpy.data.images.new('picture', whole.shape[1], whole.shape[0])
    picture.pixels.foreach_set(whole.ravel())
    picture.filepath_raw, picture.file_format = os.path.abspath(out), 'PNG'
    picture.save()


def main():
    install()
    path, out = ARGUMENTS[1:3]
    clip = ARGUMENTS[3] if len(ARGUMENTS) > 3 else 'Jump'
    frames = [int(word) for word in ARGUMENTS[4:]] or [12, 20]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, max(frames)
    for index, text in enumerate(('armature', 'wiggling ears and tail', 'Supple')):
        rig = load(path, clip, 1.6 * index)
        add_label(text, 1.6 * index, 2.4)
        if index == 1:
            wiggle(scene, rig)
    select(rig)
    with tempfile.TemporaryDirectory() as folder:
        assert bpy.ops.supple.enable() == {'FINISHED'}
        bake(folder)
        prepare_render(scene, (1.6, 1.3), 4.8, 2.7)
        render(scene, frames, folder, out)


main()
