# SPDX-License-Identifier: MIT
"""A bake as helper bones below the armature's own, with an action of their own on an NLA track, and new weights on a copy
of the mesh data. Everything is in the space of the armature."""
import array

import bpy
from mathutils import Matrix, Vector

from . import supple
from .pickup import floats, native, ordered_bones

TRACK = 'Supple'
PREFIX = 'Supple.'
MARK = 'supple_helper'  # a property of helper bones, which may be renamed


def _deforming(armature):
    return [bone for bone in ordered_bones(armature) if bone.use_deform]


def read_frame(body, depsgraph, matrices):
    """Appends the matrices of all deforming bones, from rest to this frame."""
    armature = body.armature.evaluated_get(depsgraph)
    for bone in _deforming(body.armature):
        pose = armature.pose.bones[bone.name].matrix
        matrices.extend(floats(pose @ bone.matrix_local.inverted()))


class _Frames:
    """Positions of all meshes of a body, in the space of the armature, frame by frame."""

    def __init__(self, body, parts, caches, count):
        self.body, self.parts, self.caches, self.count = body, parts, caches, count

    def __len__(self):
        return self.count

    def __getitem__(self, frame):
        out = array.array('f')
        for (part, relative), cache in zip(self.parts, self.caches):
            out.extend(_transformed(array.array('f', cache.read(frame)), relative))
        return out


def _transformed(positions, matrix):
    data, count = supple._arrays.numbers(positions, supple._arrays.ctypes.c_float, 3, 'positions')
    pointer = supple._arrays.pointer(data, supple._api.supVec3)
    supple._library.core().supTransformPoints(native(matrix), pointer, count, pointer)
    return positions


def attach(baker):
    rows = list(zip(baker.stage.parts(), baker.recording.caches, baker.wanted))
    for index, body in enumerate(baker.stage.bodies):
        own = [((part, body.relative[body.parts.index(part)]), cache) for (b, part, _), cache, wanted in rows
               if b is body and wanted]
        if own:
            _attach_body(baker, body, [pair for pair, _ in own], [cache for _, cache in own], baker.matrices[index])


def _attach_body(baker, body, parts, caches, fixed):
    armature = body.armature
    bones = _deforming(armature)
    rest, triangles, joints, weights, numbers = array.array('f'), array.array('I'), array.array('H'), array.array('f'), []
    influences = 8
    for number, (part, relative) in enumerate(parts):
        mesh = body.meshes[body.parts.index(part)]
        first = len(rest) // 3
        own = array.array('f', mesh.vertices)
        to_armature = (body.space.matrix @ part.thing.matrix_world).inverted()
        rest.extend(_transformed(own, relative @ to_armature))
        triangles.extend(first + vertex for vertex in mesh.triangles)
        numbers.extend([number] * part.count)
        _append_weights(mesh, len(bones), joints, weights, influences)
    # one more bone for what none moves: the armature itself
    frames = baker.done
    identity = floats(Matrix.Identity(4))
    step = 12 * len(bones)
    given = array.array('f')
    for frame in range(frames):
        given.extend(fixed[frame * step:(frame + 1) * step])
        given.extend(identity)
    found = supple.fit_bones(rest, triangles, _Frames(body, parts, caches, frames), baker.scene.supple.helpers, 4, given,
                             joints, weights, parts=array.array('i', numbers))
    names = _add_bones(baker.context, armature, bones, found)
    _add_weights(armature, parts, bones, names, found)
    action = _add_action(armature, bones, names, found, given, len(bones) + 1, baker.stage.start)
    _mark(parts, action)
    print('Supple: %s: %d helper bones, RMS error %.4g (%.4g without)' % (body.name, len(names), found.rms, found.start_rms))


def _append_weights(mesh, loose, joints, weights, influences):
    """The heaviest weights of each vertex, with sum 1."""
    count = mesh.influences
    for start in range(0, len(mesh.weights), count):
        row = sorted(zip(mesh.weights[start:start + count], mesh.joints[start:start + count]), reverse=True)[:influences]
        total = sum(weight for weight, _ in row)
        row += [(0.0, row[0][1])] * (influences - len(row))
        weights.extend(weight / total for weight, _ in row)
        joints.extend(min(joint, loose) for _, joint in row)


def _edit(context, armature, action):
    """Runs `action(edit_bones)` in the Edit Mode of an armature, and comes back."""
    layer = context.view_layer
    was_active, was_mode = layer.objects.active, context.mode
    if was_mode != 'OBJECT':
        bpy.ops.object.mode_set(mode='OBJECT')
    hidden = armature.hide_get()
    armature.hide_set(False)
    layer.objects.active = armature
    bpy.ops.object.mode_set(mode='EDIT')
    try:
        return action(armature.data.edit_bones)
    finally:
        bpy.ops.object.mode_set(mode='OBJECT')
        armature.hide_set(hidden)
        layer.objects.active = was_active


def _add_bones(context, armature, bones, found):
    def add(edit_bones):
        names = []
        for helper in range(found.helper_count):
            owner = found.owners[helper]
            parent = bones[owner].name if 0 <= owner < len(bones) else None
            bone = edit_bones.new('%s%s.%02d' % (PREFIX, parent or 'Root', helper))
            bone.head = Vector(found.centers[helper])
            bone.tail = bone.head + Vector((0, 0, max(0.3 * found.radii[helper], 1e-3)))
            bone.parent = edit_bones[parent] if parent else None
            bone.use_connect = False
            bone[MARK] = True
            names.append(bone.name)
        return names
    names = [bone.name for bone in bones]  # references do not survive Edit Mode
    bones = list(bones)
    result = _edit(context, armature, add)
    bones[:] = [armature.data.bones[name] for name in names]
    return result


def _add_weights(armature, parts, bones, helper_names, found):
    start = 0
    all_names = [bone.name for bone in _deforming(armature) if bone.name not in helper_names] + [None] + helper_names
    for part, _ in parts:
        thing = part.thing
        thing.supple.bake_mesh = thing.data  # keeps the mesh in the file, too
        thing.data = thing.data.copy()
        thing.data.name = thing.supple.bake_mesh.name + ' Supple'
        used = {}
        for vertex in range(part.count):
            for slot in range(found.influences):
                place = (start + vertex) * found.influences + slot
                if found.weights[place] > 0.0:
                    used.setdefault(found.joints[place], []).append((vertex, found.weights[place]))
        for group in thing.vertex_groups:
            if group.name in all_names:
                group.remove(range(part.count))
        for joint, entries in used.items():
            name = all_names[joint]
            if name is None:
                continue  # no bone: stays with the object
            group = thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)
            for vertex, weight in entries:
                group.add((vertex,), weight, 'REPLACE')
        start += part.count


def _matrix(numbers):
    n = list(numbers)
    return Matrix(((n[0], n[3], n[6], n[9]), (n[1], n[4], n[7], n[10]), (n[2], n[5], n[8], n[11]), (0, 0, 0, 1)))


def _add_action(armature, bones, names, found, given, given_count, start):
    action = bpy.data.actions.new('Supple ' + armature.name)
    names_of_bones = [bone.name for bone in _deforming(armature) if bone.name not in names]
    for helper, name in enumerate(names):
        bone = armature.data.bones[name]
        armature.pose.bones[name].rotation_mode = 'QUATERNION'
        owner = found.owners[helper]
        has_owner = 0 <= owner < len(names_of_bones)
        channels = [('location', 3), ('rotation_quaternion', 4), ('scale', 3)]
        keys = {(path, i): [] for path, size in channels for i in range(size)}
        last = None
        for frame, matrices in enumerate(found.matrices):
            pose = _matrix(matrices[helper]) @ bone.matrix_local
            parent = Matrix.Identity(4)
            if has_owner:
                at = 12 * (frame * given_count + owner)
                parent = _matrix(given[at:at + 12])
            place, turn, scale = ((parent @ bone.matrix_local).inverted() @ pose).decompose()
            if last is not None and turn.dot(last) < 0.0:
                turn.negate()
            last = turn
            for path, values in (('location', place), ('rotation_quaternion', turn), ('scale', scale)):
                for i, value in enumerate(values):
                    keys[path, i] += [start + frame, value]
        for (path, i), points in keys.items():
            curve = action.fcurves.new('pose.bones["%s"].%s' % (name, path), index=i, action_group=name)
            curve.keyframe_points.add(len(points) // 2)
            curve.keyframe_points.foreach_set('co', points)
            for key in curve.keyframe_points:
                key.interpolation = 'LINEAR'
            curve.update()
    animation = armature.animation_data or armature.animation_data_create()
    track = animation.nla_tracks.new()
    track.name = TRACK
    track.strips.new(action.name, start, action)
    return action


def _mark(parts, action):
    from .baking import set_baked
    for part, _ in parts:
        set_baked(part.thing, 'BONES', {}, action=action)


def _remove_track(armature, action):
    tracks = armature.animation_data.nla_tracks if armature.animation_data else ()
    for track in [t for t in tracks if any(strip.action == action for strip in t.strips)]:
        tracks.remove(track)


def clear(thing):
    settings = thing.supple
    baked, original, action = thing.data, settings.bake_mesh, settings.bake_action
    settings.bake_mesh = settings.bake_action = None
    if original is not None:
        thing.data = original
        if baked.users == 0:
            bpy.data.meshes.remove(baked)
    modifier = next((m for m in thing.modifiers if m.type == 'ARMATURE' and m.object is not None), None)
    if modifier is None or any(o.supple.baked == 'BONES' and o.supple.bake_action == action
                               for o in bpy.data.objects if o.type == 'MESH' and o != thing):
        return  # the last mesh takes the bones along
    armature = modifier.object
    if action is not None:
        _remove_track(armature, action)
        if action.users == 0:
            bpy.data.actions.remove(action)

    def remove(edit_bones):
        for bone in [bone for bone in edit_bones if MARK in bone]:
            edit_bones.remove(bone)
    _edit(bpy.context, armature, remove)
