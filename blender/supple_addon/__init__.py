# SPDX-License-Identifier: MIT
"""Supple in Blender: flesh on any armature, previewed while the timeline plays and baked for any machine."""
bl_info = {
    'name': 'Supple',
    'author': 'Supple',
    'version': (0, 1, 0),
    'blender': (3, 4, 0),
    'location': '3D View > Sidebar > Supple',
    'description': 'Flesh that swings and keeps its volume, on any armature',
    'category': 'Animation',
}

import bpy

from . import private_copy
from .supple import _library

_library.load = private_copy.load  # before anything asks for the library

from . import operators, panel, preview, settings

_registered = []
_commands = []


def register():
    settings.register()
    # without the library there is nothing to operate: the panel says why
    classes = panel.CLASSES if settings.library_problem else operators.CLASSES + panel.CLASSES
    for cls in classes:
        bpy.utils.register_class(cls)
        _registered.append(cls)
    if settings.library_problem:
        return
    preview.register()
    if hasattr(bpy.utils, 'register_cli_command'):  # Blender 4.2: blender -b FILE --command supple --out DIR
        from . import farm
        _commands.append(bpy.utils.register_cli_command('supple', farm.main))


def unregister():
    if not settings.library_problem:
        preview.unregister()
    for command in _commands:
        bpy.utils.unregister_cli_command(command)
    _commands.clear()
    for cls in reversed(_registered):
        bpy.utils.unregister_class(cls)
    _registered.clear()
    settings.unregister()
