# SPDX-License-Identifier: MIT
"""Flesh while the timeline plays. The Mesh Cache modifier shows a point cache in the session's temporary folder, behind
the Armature modifier, which stays: without Supple, or with an error, the mesh is where its armature has it."""
import os
import uuid

import bpy
from bpy.app.handlers import persistent

from . import supple
from .pickup import MODIFIER, Problem, armature_modifier
from .stage import Recording, Stage

_recordings = {}  # by the name of the scene
_busy = False  # our own changes are no reason to act
_message = ''
SETTLE_SECONDS = 3.0


def message():
    """The last problem, for the panel."""
    return _message


def recording(scene):
    return _recordings.get(scene.name)


def _tell(problem):
    global _message
    _message = str(problem)
    if _message:
        print('Supple:', _message)


def add_modifier(thing, path, start):
    """A Mesh Cache modifier right behind the Armature, playing `path` from frame `start`."""
    modifier = thing.modifiers.get(MODIFIER)
    if modifier is None:
        modifier = thing.modifiers.new(MODIFIER, 'MESH_CACHE')
        place = [m.name for m in thing.modifiers].index(armature_modifier(thing).name) + 1
        _move(thing, len(thing.modifiers) - 1, place)
    modifier.cache_format = 'PC2'
    modifier.filepath = path
    modifier.frame_start = start
    modifier.frame_scale = 1.0
    modifier.interpolation = 'LINEAR'
    modifier.time_mode = 'FRAME'
    modifier.play_mode = 'SCENE'
    modifier.deform_mode = 'OVERWRITE'
    modifier.forward_axis, modifier.up_axis = 'POS_Y', 'POS_Z'
    modifier.show_viewport = modifier.show_render = True
    return modifier


def _move(thing, index, place):
    if hasattr(thing.modifiers, 'move'):  # Blender 4.0
        thing.modifiers.move(index, place)
        return
    with bpy.context.temp_override(object=thing, active_object=thing):
        bpy.ops.object.modifier_move_to_index(modifier=thing.modifiers[index].name, index=place)


def remove_modifier(thing):
    modifier = thing.modifiers.get(MODIFIER)
    if modifier is not None:
        thing.modifiers.remove(modifier)


def begin(scene, context=None):
    """Starts the preview: builds flesh and shows it at the current frame."""
    global _busy
    context = context or bpy.context
    end(scene)
    baked = [o.name for o in scene.objects if o.type == 'MESH' and o.supple.enabled and o.supple.baked]
    if baked:
        raise Problem('%s is baked: Clear Bake first' % ', '.join(baked))
    _busy = True
    try:
        stage = Stage(scene, context)
        folder = os.path.join(bpy.app.tempdir, 'supple')
        paths = [os.path.join(folder, uuid.uuid4().hex + '.pc2') for _ in stage.parts()]
        made = Recording(stage, paths)
        for (_, part, _), path in zip(stage.parts(), paths):
            add_modifier(part.thing, path, stage.start)
        _recordings[scene.name] = made
        show(scene, context.evaluated_depsgraph_get())
    finally:
        _busy = False
    _tell('')


def end(scene):
    """Stops the preview; the scene is as it was."""
    found = _recordings.pop(scene.name, None)
    if found is not None:
        found.discard()
    for thing in scene.objects:
        if thing.type == 'MESH' and not thing.supple.baked and thing.library is None:
            remove_modifier(thing)


def switch(scene, on):
    """The property `preview` was set."""
    if not on:
        end(scene)
        return
    try:
        begin(scene)
    except (Problem, supple.SuppleError) as problem:
        end(scene)
        _tell(problem)
        scene.supple['preview'] = False


def show(scene, depsgraph):
    """Brings the meshes of a frame up to date."""
    found = _recordings.get(scene.name)
    if found is not None and found.show(scene.frame_current, depsgraph):
        _tag(found)


def _tag(found):
    for _, part, _ in found.stage.parts():
        part.thing.update_tag(refresh={'DATA'})


def _guarded(scene, action):
    """Runs an action of a handler; where it fails the preview ends and the panel says why."""
    global _busy
    if _busy or scene.name not in _recordings:
        return
    _busy = True
    try:
        action()
    except (Problem, supple.SuppleError, ReferenceError) as problem:
        scene.supple['preview'] = False
        end(scene)
        _tell(problem)
    finally:
        _busy = False


@persistent
def on_frame(scene, depsgraph=None):
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()

    def action():
        found = _recordings[scene.name]
        if (found.stage.start, found.stage.end) != (scene.frame_start, scene.frame_end):
            restart_soon()
        else:
            found.stage.check(depsgraph)
            show(scene, depsgraph)
    _guarded(scene, action)


@persistent
def on_update(scene, depsgraph=None):
    """A bone or a collider was moved by hand."""
    found = _recordings.get(scene.name)
    if found is None or _busy or depsgraph is None:
        return
    names = {body.name for body in found.stage.bodies} | {prop.name for prop in found.stage.props}
    if not any(isinstance(u.id, bpy.types.Object) and u.id.name in names for u in depsgraph.updates):
        return

    def action():
        if found.drag(scene.frame_current, depsgraph):
            _tag(found)
            if not bpy.app.background and not bpy.app.timers.is_registered(_settle):
                bpy.app.timers.register(_settle, first_interval=found.stage.dt)
    _guarded(scene, action)


_settling = 0.0


def _settle():
    """Flesh goes on swinging after a bone was let go of."""
    global _settling
    scene = bpy.context.scene
    found = _recordings.get(scene.name)
    if found is None or found.settled() or _settling > SETTLE_SECONDS or bpy.context.screen.is_animation_playing:
        _settling = 0.0
        return None
    _settling += found.stage.dt

    def action():
        if found.drag(scene.frame_current, bpy.context.evaluated_depsgraph_get()):
            _tag(found)
    _guarded(scene, action)
    return found.stage.dt


def restart_soon():
    """A setting changed: flesh is built anew, once, when Blender is idle."""
    if bpy.app.background:
        for name in list(_recordings):
            _restart(bpy.data.scenes[name])
    elif _recordings and not bpy.app.timers.is_registered(_restart_all):
        bpy.app.timers.register(_restart_all, first_interval=0.2)


def _restart(scene):
    try:
        begin(scene)
    except (Problem, supple.SuppleError) as problem:
        scene.supple['preview'] = False
        end(scene)
        _tell(problem)


def _restart_all():
    for name in list(_recordings):
        scene = bpy.data.scenes.get(name)
        if scene is None:
            _recordings.pop(name).discard()
        else:
            _restart(scene)
    return None


@persistent
def on_load(*_):
    """Another file: what was previewed is gone; what the file wants to preview starts."""
    for found in _recordings.values():
        found.discard()
    _recordings.clear()
    for scene in bpy.data.scenes:
        if scene.supple.preview:
            _restart_or_stop(scene)


def _restart_or_stop(scene):
    # only the active scene has a depsgraph of the window
    if scene == bpy.context.scene:
        _restart(scene)
    else:
        scene.supple['preview'] = False
        end(scene)


@persistent
def on_undo(scene, *_):
    """Undo replaces objects and modifiers: the preview starts anew where the scene still wants it."""
    for name in list(_recordings):
        found = bpy.data.scenes.get(name)
        if found is None or not found.supple.preview:
            _recordings.pop(name).discard()
        else:
            _restart(found)
    current = bpy.context.scene
    if current is not None and current.supple.preview and current.name not in _recordings:
        _restart(current)


HANDLERS = (('frame_change_post', on_frame), ('depsgraph_update_post', on_update), ('load_post', on_load),
            ('undo_post', on_undo), ('redo_post', on_undo))


def register():
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)


def unregister():
    for name in list(_recordings):
        scene = bpy.data.scenes.get(name)
        if scene is not None:
            scene.supple['preview'] = False
            end(scene)
    for name, function in HANDLERS:
        handlers = getattr(bpy.app.handlers, name)
        if function in handlers:
            handlers.remove(function)
    for timer in (_settle, _restart_all):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
