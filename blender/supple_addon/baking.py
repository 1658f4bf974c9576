# SPDX-License-Identifier: MIT
"""Bakes: every frame of a range, as the preview would show it, into files or data that Blender plays by itself."""
import array
import concurrent.futures
import itertools
import json
import os
import re

import bpy

from . import helper_bones, preview, shape_keys
from .pickup import Problem, armature_modifier
from .stage import EXACT, Hidden, Recording, Stage

WORK = '.part'


def cache_name(text):
    return re.sub(r'[^\w.-]', '_', text)


def cache_paths(folder, names):
    """A file for each mesh; names that are equal as files, on any system, are told apart by a number."""
    paths, used = [], set()
    for name in names:
        stem = cache_name(name)
        found = next(stem + end for end in itertools.chain([''], ('-%d' % i for i in itertools.count(2)))
                     if (stem + end).lower() not in used)
        used.add(found.lower())
        paths.append(os.path.join(folder, found + '.pc2'))
    return paths


def set_baked(thing, kind, data, **pointers):
    """What clear() needs: names and numbers in `data`, datablocks as pointers, since these may be renamed."""
    thing.supple.baked = kind
    thing.supple.bake_data = json.dumps(data)
    for name, value in pointers.items():
        setattr(thing.supple, 'bake_' + name, value)


def check_editable(data, what, remedy=', or bake to Mesh Cache'):
    if data.library is not None:
        raise Problem('%s %s is linked from %s: make it local first (Object > Relations > Make Local)%s'
                      % (what, data.name, data.library.filepath, remedy))


class Baker:
    """A bake in progress: step() until it returns False, then finish(). abandon() leaves the scene as it was."""

    def __init__(self, context, target='CACHE', folder=None, start=None, end=None, armatures=None, suffix='', attach=True):
        scene = context.scene
        self.context, self.scene, self.target, self.attach = context, scene, target, attach
        self.was_frame, self.was_preview = scene.frame_current, scene.supple.preview
        if self.was_preview:
            scene.supple.preview = False
        self.hidden = self.recording = None
        self.done = 0
        # one frame is simulated while Blender evaluates the next
        self.worker = concurrent.futures.ThreadPoolExecutor(1)
        self.pending = None
        try:
            self._prepare(folder, start, end, armatures, suffix)
        except BaseException:
            self.abandon()
            raise

    def _prepare(self, folder, start, end, armatures, suffix):
        scene = self.scene
        for thing in scene.objects:
            if thing.type == 'MESH' and thing.supple.enabled and thing.supple.baked:
                if not self.attach or armatures is not None and armature_modifier(thing).object not in armatures:
                    continue
                raise Problem('%s is baked already: Clear Bake first' % thing.name)
        folder = bpy.path.abspath(folder or scene.supple.folder)
        if self.target == 'CACHE' and not os.path.isabs(folder):
            raise Problem('save the file first: the folder of the caches, %s, is relative to it' % scene.supple.folder)
        if self.target != 'CACHE':
            folder = os.path.join(bpy.app.tempdir, 'supple')
        # the pose of the first frame counts, wherever the time stands
        scene.frame_set(scene.frame_start if start is None else start)
        self.stage = Stage(scene, self.context, start, end)
        wanted = None if armatures is None else {armature.name for armature in armatures}
        self.wanted = [wanted is None or body.name in wanted for body, _, _ in self.stage.parts()]
        self.paths = cache_paths(folder, [part.name + suffix for _, part, _ in self.stage.parts()])
        if self.target != 'CACHE':
            for body in self.stage.bodies:
                if self.target == 'BONES':
                    check_editable(body.armature.data, 'the armature data')
                for part in body.parts:
                    if self.target == 'KEYS':
                        check_editable(part.thing.data, 'the mesh data')
                    if part.count != part.base_count:
                        raise Problem('%s: modifiers before the Armature change the number of vertices; bake to Mesh Cache'
                                      % part.name)
        self.recording = Recording(self.stage, [path + WORK for path in self.paths])
        self.matrices = [array.array('f') for _ in self.stage.bodies]
        self.hidden = Hidden([part.thing for _, part, _ in self.stage.parts()])

    @property
    def total(self):
        return self.stage.frame_count

    def step(self):
        """Takes the pose of one frame, which is simulated meanwhile. False when all are done."""
        if self.done == self.total:
            return False
        frame = self.stage.start + self.done
        self.scene.frame_set(frame)
        depsgraph = self.context.evaluated_depsgraph_get()
        given, spaces = self.stage.read_input(depsgraph), self.stage.read_spaces(depsgraph)
        if self.target == 'BONES':
            for body, matrices in zip(self.stage.bodies, self.matrices):
                helper_bones.read_frame(body, depsgraph, matrices)
        self._wait()
        self.pending = self.worker.submit(self.recording.append, self.done, given, spaces)
        self.done += 1
        if self.done == self.total:
            self._wait()
        return self.done < self.total

    def _wait(self):
        """Until the last frame is simulated and written. Raises what went wrong with it."""
        pending, self.pending = self.pending, None
        if pending is not None:
            pending.result()

    def finish(self):
        """Hands what is done to Blender: all frames, or those until it was stopped."""
        if self.done == 0:
            self.abandon()
            return
        try:
            self._wait()
        except BaseException:
            self.abandon()
            raise
        self.worker.shutdown()
        assert self.recording.status[self.done - 1] == EXACT
        self.hidden.show()
        if self.target == 'CACHE':
            self._keep_caches()
        else:
            try:
                convert = helper_bones.attach if self.target == 'BONES' else shape_keys.attach
                convert(self)
            finally:
                self.recording.discard()
        self.scene.frame_set(self.was_frame)

    def _keep_caches(self):
        try:
            self.recording.finish(self.done)
            for path, wanted in zip(self.paths, self.wanted):
                if wanted:
                    os.replace(path + WORK, path)
                else:
                    os.remove(path + WORK)
        except OSError as error:
            self.recording.discard()
            raise Problem('cannot write %s: %s; free some space or choose another folder'
                          % (error.filename, error.strerror)) from None
        if not self.attach:
            return
        for (_, part, _), path, wanted in zip(self.stage.parts(), self.paths, self.wanted):
            if wanted:
                relative = bpy.path.relpath(path) if bpy.data.filepath else path
                preview.add_modifier(part.thing, relative, self.stage.start)
                set_baked(part.thing, 'CACHE', {'path': relative})

    def abandon(self):
        """The scene as it was; nothing stays behind."""
        self.worker.shutdown()
        if self.hidden is not None:
            self.hidden.show()
        if self.recording is not None:
            self.recording.discard()
        if self.scene.frame_current != self.was_frame:
            self.scene.frame_set(self.was_frame)


def bake_all(context, **options):
    """A whole bake, without a window. Returns the number of frames."""
    baker = Baker(context, **options)
    try:
        while baker.step():
            pass
    except BaseException:
        baker.abandon()
        raise
    baker.finish()
    return baker.done


def clear(thing):
    """Takes a bake back: the mesh is as it was before. Files of a cache stay."""
    settings = thing.supple
    kind, data = settings.baked, json.loads(settings.bake_data or '{}')
    if kind == 'CACHE':
        preview.remove_modifier(thing)
    elif kind == 'KEYS':
        shape_keys.clear(thing, data)
    elif kind == 'BONES':
        helper_bones.clear(thing)
    settings.baked = settings.bake_data = ''
