# SPDX-License-Identifier: MIT
import bpy

from . import preview, settings, supple
from .operators import active_armature
from .pickup import meshes_of


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
            return
        if armature is None:
            draw_text(layout, 'Select an armature, or a mesh that it moves', 'INFO')
            return
        soft = [o for o in meshes_of(armature, context.scene) if o.supple.enabled]
        if not soft:
            layout.operator('supple.enable', icon='MOD_SOFT')
            return
        self.draw_flesh(layout, context, armature, soft)

    def draw_collider(self, layout, thing):
        layout.prop(thing.supple, 'collider')
        if thing.supple.collider != 'NONE':
            layout.prop(thing.supple, 'friction')
        draw_text(layout, 'To make it soft, bind it to an armature', 'INFO')

    def draw_flesh(self, layout, context, armature, soft):
        values = armature.supple
        row = layout.row(align=True)
        row.prop(context.scene.supple, 'preview', toggle=True, icon='PLAY')
        row.operator('supple.disable', text='', icon='X')
        if preview.message():
            draw_text(layout, preview.message(), 'ERROR')
        layout.prop(values, 'softness', slider=True)
        row = layout.row(align=True)
        for name in ('standard', 'firm', 'jelly', 'heavy'):
            row.operator('supple.preset', text=name.title()).preset = name
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
        self.draw_advanced(layout, values)
        self.draw_bake(layout, context, soft)

    def draw_advanced(self, layout, values):
        icon = 'TRIA_DOWN' if values.show_advanced else 'TRIA_RIGHT'
        layout.prop(values, 'show_advanced', icon=icon, emboss=False)
        if not values.show_advanced:
            return
        box = layout.box()
        group = values.parameters(values.method)
        for parameter in supple.methods()[values.method].parameters:
            if parameter.name != 'softness':
                box.prop(group, settings.identifier(parameter.name))
        box.operator('supple.reset')

    def draw_bake(self, layout, context, soft):
        scene = context.scene.supple
        box = layout.box()
        baked = [o for o in soft if o.supple.baked]
        if baked:
            box.label(text='%d of %d meshes baked' % (len(baked), len(soft)), icon='CHECKMARK')
            box.operator('supple.clear')
            return
        box.prop(scene, 'bake_to')
        if scene.bake_to == 'CACHE':
            box.prop(scene, 'folder')
        elif scene.bake_to == 'BONES':
            box.prop(scene, 'helpers')
        box.operator('supple.bake', icon='REC')
        found = preview.recording(context.scene)
        for note in found.stage.notes if found else ():
            draw_text(box, note, 'INFO')


def draw_text(layout, text, icon):
    """Wraps a sentence into labels."""
    line, first = '', True
    for word in text.split() + [None]:
        if word is None or len(line) + len(word) > 46:
            layout.label(text=line, icon=icon if first else 'BLANK1')
            line, first = '', False
        line += (' ' if line else '') + (word or '')


class SUPPLE_PT_sidebar(_Panel, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_sidebar'
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'UI'
    bl_category = 'Supple'


class SUPPLE_PT_object(_Panel, bpy.types.Panel):
    bl_idname = 'SUPPLE_PT_object'
    bl_space_type = 'PROPERTIES'
    bl_region_type = 'WINDOW'
    bl_context = 'object'
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in ('MESH', 'ARMATURE')


CLASSES = (SUPPLE_PT_sidebar, SUPPLE_PT_object)
