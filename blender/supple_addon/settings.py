# SPDX-License-Identifier: MIT
"""What the user sets: on objects and on the scene. Parameters come from the library's own tables."""
import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import supple

#: why the library could not be loaded, for the panel; None where all is well
library_problem = None
groups = {}


def changed(self, context):
    """A setting of flesh changed: what is recorded is out of date."""
    from . import preview
    preview.restart_soon()


def label(name):
    return name.replace('.', ' ').replace('-', ' ').replace('_', ' ').title()


def identifier(name):
    return 'p_' + ''.join(c if c.isalnum() else '_' for c in name)


def _property(parameter):
    unit = '' if parameter.unit in ('', 'count') else ' [%s]' % parameter.unit
    text = dict(name=label(parameter.name) + unit, description=parameter.summary, update=changed, options=set())
    if parameter.choices:
        items = [(choice, label(choice), '', i) for i, choice in enumerate(parameter.choices)]
        return EnumProperty(items=items, default=int(parameter.standard), **text)
    limits = dict(min=parameter.minimum, max=parameter.maximum, default=parameter.standard)
    if parameter.unit == 'count':
        return IntProperty(min=int(parameter.minimum), max=int(min(parameter.maximum, 2 ** 31 - 1)),
                           default=int(parameter.standard), **text)
    return FloatProperty(precision=4, **limits, **text)


class _Values:
    """Mixed into the groups of parameters."""

    def value(self, parameter):
        found = getattr(self, identifier(parameter.name))
        if parameter.choices:
            return float(parameter.choices.index(found))
        # Blender keeps floats in 32 bits: untouched ones are exactly the library's
        return float(found)

    def reset(self):
        for key in list(self.keys()):
            del self[key]


def make_groups():
    """One PropertyGroup per method, from the library."""
    for method in supple.methods().values():
        annotations = {identifier(p.name): _property(p) for p in method.parameters if p.name != 'softness'}
        name = 'SuppleParameters' + method.name.title()
        groups[method.name] = type(name, (_Values, bpy.types.PropertyGroup), {'__annotations__': annotations})
    return list(groups.values())


def method_items():
    return [(m.name, label(m.name) if m.name not in ('fem', 'lbs', 'dqs') else m.name.upper(), m.summary, i)
            for i, m in enumerate(supple.methods().values())]


def make_object_settings():
    annotations = dict(
        enabled=BoolProperty(name='Soft', description='Give this mesh flesh', options=set()),
        group=StringProperty(name='Softness Group', options=set(), update=changed, description=(
            'Vertex group that says where the mesh is soft, 0 firm to 1 soft. Empty: Supple guesses from anatomy')),
        collider=EnumProperty(name='Collider', options=set(), update=changed, items=[
            ('NONE', 'None', 'Flesh passes through'), ('HULL', 'Convex', 'Flesh touches its convex hull', 1),
            ('MESH', 'Mesh', 'Flesh touches its faces; a closed mesh is a body, an open one is ground', 2)]),
        friction=FloatProperty(name='Friction', min=0, max=10, default=0.5, options=set(), update=changed,
                               description='Sideways force that it takes to slide, in parts of the pressing one'),
        softness=FloatProperty(name='Softness', subtype='FACTOR', min=0, max=1, default=0.5, options=set(), update=changed,
                               description='How soft all flesh is: 0 stone, 0.5 as it is built, 1 jelly'),
        method=EnumProperty(name='Method', items=method_items(), default='position', options=set(), update=changed,
                            description='How the surface follows the skeleton'),
        use_colliders=BoolProperty(name='Colliders', default=True, options=set(), update=changed,
                                   description='Flesh touches colliders and the floor'),
        use_others=BoolProperty(name='Characters', options=set(), update=changed,
                                description='Flesh touches other soft characters that want it too'),
        use_self=BoolProperty(name='Itself', options=set(), update=changed,
                              description='Flesh touches parts of the same body that are no neighbours'),
        baked=StringProperty(options={'HIDDEN'}),
        bake_data=StringProperty(options={'HIDDEN'}),
        bake_mesh=PointerProperty(type=bpy.types.Mesh, options={'HIDDEN'}),
        bake_action=PointerProperty(type=bpy.types.Action, options={'HIDDEN'}),
        bake_before=PointerProperty(type=bpy.types.Action, options={'HIDDEN'}),
    )
    annotations.update({name: PointerProperty(type=group) for name, group in groups.items()})
    return type('SuppleObjectSettings', (bpy.types.PropertyGroup,), {
        '__annotations__': annotations, 'parameters': lambda self, method: getattr(self, method)})


class SuppleSceneSettings(bpy.types.PropertyGroup):
    """Of a scene."""

    def _preview_changed(self, context):
        from . import preview
        preview.switch(self.id_data, self.preview)

    preview: BoolProperty(name='Preview', options=set(), update=_preview_changed,
                          description='Show flesh while the timeline plays and while bones are moved')
    use_floor: BoolProperty(name='Floor', options=set(), update=changed, description='Flesh rests on a floor')
    floor: FloatProperty(name='Height', subtype='DISTANCE', options=set(), update=changed)
    folder: StringProperty(name='Folder', subtype='DIR_PATH', default='//supple_cache', options=set(),
                           description='Where point caches are written')
    bake_to: EnumProperty(name='Bake To', options=set(), items=[
        ('CACHE', 'Mesh Cache', 'A point cache (PC2) and a Mesh Cache modifier: exact, any length'),
        ('KEYS', 'Shape Keys', 'A shape key per frame on a copy of the mesh: stays inside the file'),
        ('BONES', 'Helper Bones', 'Bones that carry the motion of flesh, with an action of their own: for games')])
    helpers: IntProperty(name='Helpers', min=1, max=1024, default=32, options=set(), description='Helper bones at most')


classes = []


def register():
    global library_problem
    library_problem = None
    try:
        made = make_groups()
    except supple.SuppleError as error:
        library_problem = str(error)
        return
    classes.extend(made + [make_object_settings(), SuppleSceneSettings])
    for cls in classes:
        bpy.utils.register_class(cls)
    bpy.types.Object.supple = PointerProperty(type=classes[-2])
    bpy.types.Scene.supple = PointerProperty(type=SuppleSceneSettings)


def unregister():
    if classes:
        del bpy.types.Object.supple
        del bpy.types.Scene.supple
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
    classes.clear()
    groups.clear()
