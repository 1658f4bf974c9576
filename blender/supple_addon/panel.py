# SPDX-License-Identifier: MIT
import bpy

from . import preview, settings, supple
from .operators import active_armature
from .pickup import meshes_of


def soft_meshes_of(armature, scene):
    return [] if armature is None else [o for o in meshes_of(armature, scene) if o.supple.enabled]


def draw_text(layout, text, icon):
    """Wraps a sentence into labels."""
    line, first = '', True
    for word in text.split() + [None]:
        if word is None or len(line) + len(word) > 46:
            layout.label(text=line, icon=icon if first else 'BLANK1')
            line, first = '', False
        line += (' ' if line else '') + (word or '')


class _Panel:
    bl_label = 'Supple'

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        if settings.library_problem:
            draw_text(layout, settings.library_problem, 'ERROR')
            return
        thing = context.object
        armature = active_armature(context)
        if thing is not None and thing.type == 'MESH' and armature is None:
            self.draw_collider(layout, thing)
        elif armature is None:
            draw_text(layout, 'Select an armature, or a mesh that it moves', 'INFO')
        elif soft_meshes_of(armature, context.scene):
            self.draw_flesh(layout, context, armature)
        else:
            layout.operator('supple.enable', icon='MOD_SOFT')

    def draw_collider(self, layout, thing):
        layout.prop(thing.supple, 'collider')
        if thing.supple.collider != 'NONE':
            layout.prop(thing.supple, 'friction')
        draw_text(layout, 'To make it soft, bind it to an armature', 'INFO')

    def draw_flesh(self, layout, context, armature):
        values = armature.supple
        row = layout.row(align=True)
        row.prop(context.scene.supple, 'preview', toggle=True, icon='PLAY')
        row.operator('supple.disable', text='', icon='X')
        if preview.message():
            draw_text(layout, preview.message(), 'ERROR')
        layout.prop(values, 'softness', slider=True)
        grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
        for name in ('standard', 'firm', 'jelly', 'heavy'):
            grid.operator('supple.preset', text=name.title()).preset = name
        layout.prop(values, 'method')
        thing = context.object
        if thing.type == 'MESH' and thing.supple.enabled:
            row = layout.row(align=True)
            row.prop_search(thing.supple, 'group', thing, 'vertex_groups')
            row.operator('supple.guess', text='', icon='BRUSH_DATA')
        else:
            layout.operator('supple.guess', icon='BRUSH_DATA')
        column = layout.column(heading='Touches')
        column.prop(values, 'use_colliders')
        column.prop(values, 'use_others')
        column.prop(values, 'use_self')
        row = layout.row(heading='Floor')
        row.prop(context.scene.supple, 'use_floor', text='')
        sub = row.row()
        sub.active = context.scene.supple.use_floor
        sub.prop(context.scene.supple, 'floor', text='')


class _Child:
    """A fold of the panel, there where something is soft."""

    @classmethod
    def poll(cls, context):
        return not settings.library_problem and bool(soft_meshes_of(active_armature(context), context.scene))


class _Advanced(_Child):
    bl_label = 'Advanced'
    bl_options = {'DEFAULT_CLOSED'}

    def draw(self, context):
        layout = self.layout
        layout.use_property_decorate = False
        values = active_armature(context).supple
        group = values.parameters(values.method)
        for parameter in supple.methods()[values.method].parameters:
            if parameter.name != 'softness':
                layout.prop(group, settings.identifier(parameter.name))
        layout.operator('supple.reset')


class _Bake(_Child):
    bl_label = 'Bake'

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene = context.scene.supple
        soft = soft_meshes_of(active_armature(context), context.scene)
        baked = [o for o in soft if o.supple.baked]
        if baked:
            layout.label(text='%d of %d meshes baked' % (len(baked), len(soft)), icon='CHECKMARK')
            layout.operator('supple.clear')
            return
        layout.prop(scene, 'bake_to')
        if scene.bake_to == 'CACHE':
            layout.prop(scene, 'folder')
        elif scene.bake_to == 'BONES':
            layout.prop(scene, 'helpers')
        layout.operator('supple.bake', icon='REC')
        found = preview.recording(context.scene)
        for note in found.stage.notes if found else ():
            draw_text(layout, note, 'INFO')


class _Sidebar:
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'UI'
    bl_category = 'Supple'


class _Properties:
    bl_space_type = 'PROPERTIES'
    bl_region_type = 'WINDOW'
    bl_context = 'object'


class SUPPLE_PT_sidebar(_Sidebar, _Panel, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_sidebar'


class SUPPLE_PT_sidebar_advanced(_Sidebar, _Advanced, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_sidebar_advanced'
    bl_parent_id = 'SUPPLE_PT_sidebar'


class SUPPLE_PT_sidebar_bake(_Sidebar, _Bake, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_sidebar_bake'
    bl_parent_id = 'SUPPLE_PT_sidebar'


class SUPPLE_PT_object(_Properties, _Panel, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_object'
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in ('MESH', 'ARMATURE')


class SUPPLE_PT_object_advanced(_Properties, _Advanced, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_object_advanced'
    bl_parent_id = 'SUPPLE_PT_object'


class SUPPLE_PT_object_bake(_Properties, _Bake, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_object_bake'
    bl_parent_id = 'SUPPLE_PT_object'


# parents before their children
CLASSES = (SUPPLE_PT_sidebar, SUPPLE_PT_sidebar_bake, SUPPLE_PT_sidebar_advanced, SUPPLE_PT_object, SUPPLE_PT_object_bake,
           SUPPLE_PT_object_advanced)
