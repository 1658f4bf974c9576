# SPDX-License-Identifier: MIT
"""The simulation of a Blender scene: all soft characters and colliders, frame by frame, recorded into point caches.

Preview and bake both are: reset in the pose of the first frame, then one step per frame. A frame reached that way is
exact; the same frame of a bake has the same bits. Frames shown in between (after a jump, while a bone is dragged) are
provisional: the next pass from the start replaces them."""
import array
import os
import zlib

import bpy
from mathutils import Vector

from . import supple
from .pickup import Body, Problem, armature_modifier, armature_of, check_evaluated
from .pc2 import PointCache

EMPTY, PROVISIONAL, EXACT = 0, 1, 2
FRAMES_PER_STATE = 16


def soft_meshes(scene):
    """Meshes of the scene that are enabled, by armature: {armature: [mesh]}."""
    found = {}
    for thing in scene.objects:
        if thing.type == 'MESH' and thing.supple.enabled:
            armature = armature_of(thing)
            if armature is None:
                raise Problem('%s has no Armature modifier with an armature: add one, or disable Supple on it' % thing.name)
            found.setdefault(armature, []).append(thing)
    return found


def flesh_settings(settings):
    """The parameters that differ from the method's own."""
    values = {}
    group = settings.parameters(settings.method)
    for parameter in supple.methods()[settings.method].parameters:
        name = parameter.name
        value = settings.softness if name == 'softness' else group.value(parameter)
        if value != parameter.standard:
            values[name] = value
    return values


class Prop:
    """A collider: an object of Blender, rigid, that may move."""

    def __init__(self, thing, space, depsgraph):
        self.name = thing.name
        self.space = space
        check_evaluated(thing, depsgraph)
        evaluated = thing.evaluated_get(depsgraph)
        rigid = self._rigid(evaluated)
        local = rigid.inverted() @ self.space.matrix @ evaluated.matrix_world
        mesh = evaluated.to_mesh()
        try:
            mesh.calc_loop_triangles()
            if len(mesh.loop_triangles) == 0:
                raise Problem('Collider %s has no faces' % thing.name)
            vertices = [tuple(local @ vertex.co) for vertex in mesh.vertices]
            triangles = [tuple(t.vertices) for t in mesh.loop_triangles]
        finally:
            evaluated.to_mesh_clear()
        if local.determinant() < 0:
            triangles = [(a, c, b) for a, b, c in triangles]
        kind = 'hull' if thing.supple.collider == 'HULL' else 'mesh'
        self.shape = dict(kind=kind, vertices=vertices, triangles=triangles if kind == 'mesh' else (),
                          position=tuple(rigid.translation), rotation=tuple(rigid.to_quaternion()), moving=True,
                          friction=thing.supple.friction, name=thing.name)
        self.collider = None

    def add_to(self, scene):
        self.collider = scene.add_collider(**self.shape)

    def _rigid(self, evaluated):
        """Its place without its scale, which is in the shape."""
        place, turn, _ = self.space.node(evaluated.matrix_world).decompose()
        result = turn.to_matrix().to_4x4()
        result.translation = place
        return result

    def read(self, depsgraph):
        thing = bpy.data.objects.get(self.name)
        if thing is None:
            raise Problem('Collider %s was removed or renamed: turn Preview off and on' % self.name)
        rigid = self._rigid(thing.evaluated_get(depsgraph))
        return tuple(rigid.translation), tuple(rigid.to_quaternion())


class _Kept:
    """The current frame, and poses that have no keys: sampling other frames must not lose them."""

    def __init__(self, scene, armatures):
        self.scene = scene
        self.frame, self.subframe = scene.frame_current, scene.frame_subframe
        self.poses = [(a, [(bone.name, bone.matrix_basis.copy()) for bone in a.pose.bones]) for a in armatures]

    def restore(self, context):
        self.scene.frame_set(self.frame, subframe=self.subframe)
        for armature, pose in self.poses:
            for name, basis in pose:
                if armature.pose.bones[name].matrix_basis != basis:
                    armature.pose.bones[name].matrix_basis = basis
        context.view_layer.update()


class Hidden:
    """Meshes need not be drawn while poses are taken: from the Armature on, modifiers rest until show()."""

    def __init__(self, things):
        self.shown = []
        for thing in things:
            names = [modifier.name for modifier in thing.modifiers]
            for name in names[names.index(armature_modifier(thing).name):]:
                self.shown.append((thing.name, name, thing.modifiers[name].show_viewport))
        for thing, name, _ in self.shown:
            bpy.data.objects[thing].modifiers[name].show_viewport = False

    def show(self):
        for name, modifier, was in self.shown:
            thing = bpy.data.objects.get(name)
            if thing is not None and modifier in thing.modifiers:
                thing.modifiers[modifier].show_viewport = was
        self.shown = []


class Samples:
    """Poses that flesh is built with, as `supple bake` takes them from the clips of a file: they show which parts of a
    character move apart."""

    def __init__(self, method, start, end, dt):
        frames = set()
        for time in supple.build_times(method, 0.0, (end - start) * dt):
            place = start + time / dt
            frames |= {min(int(place), end), min(int(place) + 1, end)}
        self.frames = sorted(frames)
        self.times = [(frame - start) * dt for frame in self.frames]
        self.poses = {}

    def take(self, frame, pose):
        """Keeps the pose of a frame. True where it is one of the sampled frames and had another pose before."""
        if frame not in self.frames or self.poses.get(frame) == pose:
            return False
        self.poses[frame] = pose
        return True


class Stage:
    """Everything soft in a scene, from its first frame to its last."""

    def __init__(self, scene, context, start=None, end=None):
        self.scene_name = scene.name
        self.start = scene.frame_start if start is None else start
        self.end = scene.frame_end if end is None else end
        if self.end < self.start:
            raise Problem('The frame range ends (%d) before it starts (%d)' % (self.end, self.start))
        self.dt = scene.render.fps_base / scene.render.fps
        # what is shown may be our own flesh: the bodies are read at rest, before any cache
        self.bodies = [Body(armature, things, scene, context) for armature, things in soft_meshes(scene).items()]
        if not self.bodies:
            raise Problem('No mesh is soft: select one with an Armature modifier and click Make Soft')
        self.space = self.bodies[0].space
        self.samples = [Samples(body.armature.supple.method, self.start, self.end, self.dt) for body in self.bodies]
        self._take_samples(scene, context)
        depsgraph = context.evaluated_depsgraph_get()
        self.props = []
        for thing in scene.objects:
            if thing.type == 'MESH' and thing.supple.collider != 'NONE':
                if thing.supple.enabled:
                    raise Problem('%s is both soft and a collider: choose one' % thing.name)
                self.props.append(Prop(thing, self.space, depsgraph))
        self.build(scene)
        self.buffers = [[array.array('f', bytes(12 * part.count)) for part in body.parts] for body in self.bodies]
        self.sheared = set()

    def _take_samples(self, scene, context):
        frames = sorted({frame for samples in self.samples for frame in samples.frames})
        if not frames:
            return
        kept = _Kept(scene, [body.armature for body in self.bodies])
        hidden = Hidden([part.thing for body in self.bodies for part in body.parts])
        try:
            for frame in frames:
                scene.frame_set(frame)
                self.note_poses(frame, [body.read_pose(context.evaluated_depsgraph_get()) for body in self.bodies])
        finally:
            hidden.show()
            kept.restore(context)

    def note_poses(self, frame, poses):
        """True where flesh was built with another pose of this frame: it is out of date."""
        changed = [samples.take(frame, worlds) for samples, (worlds, _) in zip(self.samples, poses)]
        return any(changed)

    def build(self, scene):
        """Flesh from the sampled poses, and all that moves."""
        self.fleshes = []
        for body, samples in zip(self.bodies, self.samples):
            settings = body.armature.supple
            character = body.create_character(samples.times, [samples.poses[frame] for frame in samples.frames])
            self.fleshes.append(supple.Flesh(character, settings.method, flesh_settings(settings)))
        gravity = scene.gravity if scene.use_gravity else (0, 0, 0)
        turned = self.space.matrix.to_3x3() @ Vector(gravity)
        self.scene = supple.Scene(substeps=supple.choose_substeps(self.dt), gravity=tuple(turned))
        self.actors = [self.scene.add(flesh) for flesh in self.fleshes]
        for body, actor in zip(self.bodies, self.actors):
            settings = body.armature.supple
            actor.touch(settings.use_colliders, settings.use_others, settings.use_self)
        for prop in self.props:
            prop.add_to(self.scene)
        if scene.supple.use_floor:
            height = scene.supple.floor * self.space.matrix.to_scale()[0]
            self.scene.add_collider('plane', position=(0, height, 0), name='Floor')

    @property
    def frame_count(self):
        return self.end - self.start + 1

    @property
    def notes(self):
        notes = [note for body in self.bodies for note in body.notes]
        return notes + ['%s: sheared bones are followed approximately' % name for name in sorted(self.sheared)]

    def read_input(self, depsgraph):
        """All that a frame depends on."""
        poses = [body.read_pose(depsgraph) for body in self.bodies]
        return poses, [prop.read(depsgraph) for prop in self.props]

    @staticmethod
    def digest(given):
        """A fingerprint of the input of a frame: a recorded frame with another one is out of date."""
        poses, places = given
        value = zlib.crc32(repr((places, [keys for _, keys in poses])).encode())
        for worlds, _ in poses:
            value = zlib.crc32(worlds, value)
        return value

    def advance(self, given, reset):
        """One frame: from rest where `reset`, else a step."""
        poses, places = given
        for body, actor, (worlds, keys) in zip(self.bodies, self.actors, poses):
            if actor.pose.set_worlds(worlds):
                self.sheared.add(body.name)
            for instance, values in enumerate(keys):
                if values:
                    actor.pose.set_morphs(values, instance)
        for prop, (position, rotation) in zip(self.props, places):
            (prop.collider.place if reset else prop.collider.move)(position, rotation)
        if reset:
            for actor in self.actors:
                actor.reset()
        self.scene.step(0.0 if reset else self.dt)

    def read_spaces(self, depsgraph):
        """Of each body, the maps from Supple's world to the spaces of its meshes at this frame."""
        return [[body.to_local(part, depsgraph) for part in body.parts] for body in self.bodies]

    def read_surface(self, spaces):
        """Positions of all meshes in their own spaces, into the buffers."""
        for actor, maps, buffers in zip(self.actors, spaces, self.buffers):
            for instance, (to_local, buffer) in enumerate(zip(maps, buffers)):
                actor.positions_into(buffer, to_local, instance)

    def parts(self):
        """(body, part, buffer) of all meshes."""
        for body, buffers in zip(self.bodies, self.buffers):
            for part, buffer in zip(body.parts, buffers):
                yield body, part, buffer

    def save_states(self):
        core = supple._library.core()
        colliders = [core.supCollider_GetState(prop.collider._use()) for prop in self.props]
        return [actor.save_state() for actor in self.actors], colliders

    def restore_states(self, states):
        for actor, state in zip(self.actors, states[0]):
            actor.restore_state(state)
        for prop, state in zip(self.props, states[1]):
            supple._library.core().supCollider_SetState(prop.collider._use(), supple._arrays.ctypes.byref(state))

    def check(self, depsgraph):
        for body in self.bodies:
            body.check_meshes(depsgraph)


class Recording:
    """A stage whose frames are kept, one point cache per mesh, for showing and for showing again.

    Exact frames lie together at the beginning, up to the head. The input of each is kept, and every few frames the state
    of the stage, so that an edit in the middle costs only the frames behind it."""

    def __init__(self, stage, paths):
        """`paths`: a file for each mesh, in the order of stage.parts()."""
        self.stage = stage
        self.caches = []
        self.shown = None
        self.forget()
        try:
            for (_, part, _), path in zip(stage.parts(), paths):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                self.caches.append(PointCache(path, part.count, stage.frame_count))
        except OSError as error:
            self.discard()
            raise Problem('cannot write %s: %s; choose another folder or free some space'
                          % (path, error.strerror)) from None

    def forget(self):
        """All frames are out of date."""
        self.status = bytearray(self.stage.frame_count)
        self.digests = {}
        self.inputs = []  # of exact frames
        self.states = {}  # of the stage after some of them
        self.away = False  # the stage is not where the last exact frame left it
        self.is_stale = False  # flesh was built with other poses than those of now

    def _expire(self):
        """Flesh is out of date: frames may still be shown, but none is exact until flesh is built at the first frame."""
        for index, status in enumerate(self.status):
            self.status[index] = min(status, PROVISIONAL)
        self.inputs, self.states, self.away, self.is_stale = [], {}, True, True

    @property
    def exact_count(self):
        return len(self.inputs)

    def _forget_from(self, index):
        for later in range(index, len(self.status)):
            self.status[later] = EMPTY
            self.digests.pop(later, None)
            self.states.pop(later, None)
        del self.inputs[index:]
        self.away = True

    def _return(self):
        """Brings the stage back to where the last exact frame left it."""
        if self.away and self.inputs:
            nearest = max((k for k in self.states if k < self.exact_count), default=-1)
            if nearest >= 0:
                self.stage.restore_states(self.states[nearest])
            for index in range(nearest + 1, self.exact_count):
                self.stage.advance(self.inputs[index], index == 0)
        self.away = False

    def _write(self, index, status, digest, depsgraph):
        self._write_surface(index, self.stage.read_spaces(depsgraph))
        self.status[index] = status
        self.digests[index] = digest

    def _write_surface(self, index, spaces):
        self.stage.read_surface(spaces)
        try:
            for cache, (_, _, buffer) in zip(self.caches, self.stage.parts()):
                cache.write(index, buffer)
        except OSError as error:
            raise Problem('cannot write %s: %s; free some space or choose another folder'
                          % (cache.path, error.strerror)) from None

    def append(self, index, given, spaces):
        """The next frame of a bake. Uses nothing of Blender, which may evaluate another frame meanwhile."""
        self.stage.advance(given, index == 0)
        self._write_surface(index, spaces)
        self.status[index] = EXACT

    def _leave(self):
        """The stage is about to show something else: its state is kept."""
        if not self.away and self.inputs:
            self.states[self.exact_count - 1] = self.stage.save_states()
        self.away = True

    def show(self, frame, depsgraph):
        """Brings the caches up to date for a frame. True where something was written: meshes must be evaluated anew."""
        stage = self.stage
        if not stage.start <= frame <= stage.end:
            return False
        index = frame - stage.start
        given = stage.read_input(depsgraph)
        digest = stage.digest(given)
        before, self.shown = self.shown, frame
        if stage.note_poses(frame, given[0]):
            self._expire()
        if self.is_stale and index == 0:
            stage.build(bpy.data.scenes[stage.scene_name])
            self.forget()
        if self.digests.get(index) == digest and self.status[index] == EXACT:
            return False
        if self.status[index] == EXACT:
            self._forget_from(index)
        if index == self.exact_count and not self.is_stale:
            self._return()
            stage.advance(given, index == 0)
            self.inputs.append(given)
            if index % FRAMES_PER_STATE == 0:
                self.states[index] = stage.save_states()
            self._write(index, EXACT, digest, depsgraph)
            return True
        if self.digests.get(index) == digest:
            return False
        self._leave()
        stage.advance(given, before is None or not 0 <= frame - before <= 1)
        self._write(index, PROVISIONAL, digest, depsgraph)
        return True

    def drag(self, frame, depsgraph):
        """The pose changed while the time stands still: flesh follows. True where something was written."""
        stage = self.stage
        if not stage.start <= frame <= stage.end:
            return False
        index = frame - stage.start
        given = stage.read_input(depsgraph)
        digest = stage.digest(given)
        if self.digests.get(index) == digest and (self.status[index] == EXACT or self.settled()):
            return False
        if self.status[index] == EXACT:
            # it goes on from what is shown, not from the head
            if self.away or self.exact_count > index + 1:
                self._forget_from(index + 1)
                self._return()
            self._forget_from(index)
        self._leave()
        stage.advance(given, self.shown != frame)
        self.shown = frame
        self._write(index, PROVISIONAL, digest, depsgraph)
        return True

    def settled(self):
        return all(actor.asleep for actor in self.stage.actors)

    def finish(self, frames):
        for cache in self.caches:
            cache.finish(frames)

    def discard(self):
        for cache in self.caches:
            cache.discard()
