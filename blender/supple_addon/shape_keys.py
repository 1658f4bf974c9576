# SPDX-License-Identifier: MIT
"""A bake as shape keys: one per frame, each the whole surface, faded into the next. Stays inside the file."""
import array

import bpy

from .pickup import armature_modifier

PREFIX = 'Supple '


def attach(baker):
    for (_, part, _), cache, wanted in zip(baker.stage.parts(), baker.recording.caches, baker.wanted):
        if wanted:
            _attach_mesh(part.thing, cache, baker.stage.start, baker.done)


def _attach_mesh(thing, cache, start, count):
    from .baking import set_baked
    modifier = armature_modifier(thing)
    data = {'modifier': modifier.name, 'shown': [modifier.show_viewport, modifier.show_render], 'muted': [],
            'had_keys': thing.data.shape_keys is not None}
    if thing.data.shape_keys is None:
        thing.shape_key_add(name='Basis', from_mix=False)
    keys = thing.data.shape_keys
    for block in keys.key_blocks[1:]:
        if not block.mute:
            data['muted'].append(block.name)
            block.mute = True
    blocks = []
    for frame in range(count):
        block = thing.shape_key_add(name='%s%04d' % (PREFIX, start + frame), from_mix=False)
        block.data.foreach_set('co', array.array('f', cache.read(frame)))
        block.slider_max = 1.0
        blocks.append(block)
    animation = keys.animation_data or keys.animation_data_create()
    before = animation.action
    action = bpy.data.actions.new('Supple ' + thing.name)
    animation.action = action
    for frame, block in enumerate(blocks):
        curve = action.fcurves.new('key_blocks["%s"].value' % block.name)
        # outside of the range the first and the last frame hold
        points = [(start + frame - 1, 0.0)] if frame > 0 else []
        points += [(start + frame, 1.0)] + ([(start + frame + 1, 0.0)] if frame + 1 < count else [])
        curve.keyframe_points.add(len(points))
        curve.keyframe_points.foreach_set('co', [number for point in points for number in point])
        for key in curve.keyframe_points:
            key.interpolation = 'LINEAR'
        curve.update()
    # shape keys come before the armature, whose motion is in them
    modifier.show_viewport = modifier.show_render = False
    set_baked(thing, 'KEYS', data, action=action, before=before)


def _find_modifier(thing, name):
    """The Armature modifier that was turned off, whatever it is called now."""
    off = [m for m in thing.modifiers if m.type == 'ARMATURE' and not m.show_viewport]
    return next((m for m in off if m.name == name), off[0] if off else None)


def clear(thing, data):
    keys = thing.data.shape_keys
    if keys is not None:
        for block in [b for b in keys.key_blocks if b.name.startswith(PREFIX)]:
            thing.shape_key_remove(block)
        if not data.get('had_keys'):
            thing.shape_key_clear()
        else:
            for name in data.get('muted', []):
                if name in keys.key_blocks:
                    keys.key_blocks[name].mute = False
            if keys.animation_data:
                keys.animation_data.action = thing.supple.bake_before
    action = thing.supple.bake_action
    thing.supple.bake_action = thing.supple.bake_before = None
    if action is not None and action.users == 0:
        bpy.data.actions.remove(action)
    modifier = _find_modifier(thing, data.get('modifier', ''))
    if modifier is not None:
        modifier.show_viewport, modifier.show_render = data.get('shown', [True, True])
