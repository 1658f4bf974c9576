# SPDX-License-Identifier: MIT
import bpy
from bpy.props import EnumProperty

from . import baking, preview, supple
from .pickup import Body, Problem, armature_of, check_object, meshes_of

GROUP = 'Softness'
STEP_SECONDS = 0.1


def selected_meshes(context):
    """Selected meshes, and all meshes of selected armatures."""
    found = []
    for thing in context.selected_objects or [context.object]:
        if thing is not None and thing.type == 'ARMATURE':
            found += meshes_of(thing, context.scene)
        elif thing is not None and thing.type == 'MESH':
            found.append(thing)
    return list(dict.fromkeys(found))


class _Operator(bpy.types.Operator):
    """Reports problems in Blender's own line and leaves the scene as it was."""
    bl_options = {'REGISTER', 'UNDO'}

    def execute(self, context):
        try:
            return self.run(context) or {'FINISHED'}
        except (Problem, supple.SuppleError) as problem:
            self.report({'ERROR'}, str(problem))
            return {'CANCELLED'}


class SUPPLE_OT_enable(_Operator):
    """Give the selected meshes, or all meshes of the selected armature, flesh"""
    bl_idname = 'supple.enable'
    bl_label = 'Make Soft'

    def run(self, context):
        things = selected_meshes(context)
        if not things:
            raise Problem('select a mesh with an Armature modifier, or an armature with meshes')
        for thing in things:
            check_object(thing)
            if armature_of(thing) is None:
                raise Problem('%s has no Armature modifier with an armature: bind it to one first (Ctrl P)' % thing.name)
        # refuse here what could not be built later
        for armature in dict.fromkeys(armature_of(thing) for thing in things):
            Body(armature, [t for t in things if armature_of(t) == armature], context.scene, context).create_character()
        for thing in things:
            thing.supple.enabled = True
        preview.restart_soon()


class SUPPLE_OT_disable(_Operator):
    """Take flesh off the selected meshes"""
    bl_idname = 'supple.disable'
    bl_label = 'Remove'

    def run(self, context):
        for thing in selected_meshes(context):
            if thing.supple.baked:
                baking.clear(thing)
            thing.supple.enabled = False
            preview.remove_modifier(thing)
        preview.restart_soon()


class SUPPLE_OT_preset(_Operator):
    """Set softness, frequency and damping together"""
    bl_idname = 'supple.preset'
    bl_label = 'Preset'

    preset: EnumProperty(items=[('standard', 'Standard', ''), ('firm', 'Firm', ''), ('jelly', 'Jelly', ''),
                                ('heavy', 'Heavy', '')], options={'SKIP_SAVE'})

    @classmethod
    def description(cls, context, properties):
        return supple.presets()[properties.preset].summary.capitalize()

    def run(self, context):
        from .settings import identifier
        armature = active_armature(context)
        if armature is None:
            raise Problem('select an armature or one of its meshes')
        settings = armature.supple
        group = settings.parameters(settings.method)
        for name, value in supple.preset_settings(self.preset, settings.method).items():
            if name == 'softness':
                settings.softness = value
            else:
                setattr(group, identifier(name), value)


class SUPPLE_OT_reset(_Operator):
    """Set all parameters of the method back to their defaults"""
    bl_idname = 'supple.reset'
    bl_label = 'Reset Parameters'

    def run(self, context):
        settings = active_armature(context).supple
        settings.parameters(settings.method).reset()
        preview.restart_soon()


class SUPPLE_OT_guess(_Operator):
    """Fill the vertex group Softness with Supple's guess: flesh where it is thick, bone where it is thin"""
    bl_idname = 'supple.guess'
    bl_label = 'Guess Softness'

    def run(self, context):
        things = [thing for thing in selected_meshes(context) if thing.supple.enabled]
        if not things:
            raise Problem('no selected mesh is soft: click Make Soft first')
        for armature in dict.fromkeys(armature_of(thing) for thing in things):
            own = [t for t in meshes_of(armature, context.scene) if t.supple.enabled]
            was = {thing: thing.supple.group for thing in own}
            try:
                for thing in own:
                    thing.supple['group'] = ''
                body = Body(armature, own, context.scene, context)
            finally:
                for thing, group in was.items():
                    thing.supple['group'] = group
            for part, values in zip(body.parts, body.create_character().softness()):
                if part.thing in things:
                    self.fill(part, values)
        preview.restart_soon()

    @staticmethod
    def fill(part, values):
        thing = part.thing
        baking.check_editable(thing.data, 'the mesh data', '')
        if part.count != part.base_count:
            raise Problem('%s: modifiers before the Armature change the number of vertices: apply them first' % part.name)
        name = thing.supple.group or GROUP
        group = thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)
        levels = {}
        for vertex, value in enumerate(values):
            levels.setdefault(round(value, 3), []).append(vertex)
        for value, vertices in levels.items():
            group.add(vertices, value, 'REPLACE')
        thing.supple['group'] = group.name


class SUPPLE_OT_bake(_Operator):
    """Simulate all frames of the scene and keep them, so that Blender plays them without Supple. Esc keeps what is done"""
    bl_idname = 'supple.bake'
    bl_label = 'Bake'

    def run(self, context):
        done = baking.bake_all(context, target=context.scene.supple.bake_to)
        self.report({'INFO'}, '%d frames baked' % done)

    def invoke(self, context, event):
        try:
            self.baker = baking.Baker(context, target=context.scene.supple.bake_to)
        except (Problem, supple.SuppleError) as problem:
            self.report({'ERROR'}, str(problem))
            return {'CANCELLED'}
        context.window_manager.progress_begin(0, self.baker.total)
        self.timer = context.window_manager.event_timer_add(0.001, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {'RUNNING_MODAL'}

    def modal(self, context, event):
        import time
        if event.type == 'ESC':
            return self.end(context, True)
        if event.type != 'TIMER':
            return {'RUNNING_MODAL'}
        try:
            until = time.monotonic() + STEP_SECONDS
            going = True
            while going and time.monotonic() < until:
                going = self.baker.step()
        except (Problem, supple.SuppleError) as problem:
            self.baker.abandon()
            self.stop_timer(context)
            self.report({'ERROR'}, str(problem))
            return {'CANCELLED'}
        context.window_manager.progress_update(self.baker.done)
        context.workspace.status_text_set('Supple: frame %d of %d   Esc: keep what is done'
                                          % (self.baker.done, self.baker.total))
        return {'RUNNING_MODAL'} if going else self.end(context, False)

    def end(self, context, stopped):
        self.stop_timer(context)
        try:
            self.baker.finish()
        except (Problem, supple.SuppleError) as problem:
            self.report({'ERROR'}, str(problem))
            return {'CANCELLED'}
        words = 'stopped: %d of %d frames kept' if stopped else '%d of %d frames baked'
        self.report({'INFO'}, words % (self.baker.done, self.baker.total))
        return {'FINISHED'}

    def stop_timer(self, context):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


class SUPPLE_OT_clear(_Operator):
    """Take the bake of the selected meshes back. Files of point caches stay on disk"""
    bl_idname = 'supple.clear'
    bl_label = 'Clear Bake'

    def run(self, context):
        things = [thing for thing in selected_meshes(context) if thing.supple.baked]
        if not things:
            raise Problem('no selected mesh is baked')
        for thing in things:
            baking.clear(thing)


def active_armature(context):
    """The armature whose settings the panel shows."""
    thing = context.object
    if thing is None:
        return None
    if thing.type == 'ARMATURE':
        return thing
    if thing.type != 'MESH':
        return None
    try:
        return armature_of(thing)
    except Problem:
        return None


CLASSES = (SUPPLE_OT_enable, SUPPLE_OT_disable, SUPPLE_OT_preset, SUPPLE_OT_reset, SUPPLE_OT_guess, SUPPLE_OT_bake,
           SUPPLE_OT_clear)
