# SPDX-License-Identifier: MIT
"""Supple makes animated characters soft: poses in, positions out. Reference: docs/python.md."""
from ._library import VERSION, LibraryError, SuppleError
from .bake import Bones, Document, Report, bake, fit_bones
from .character import Character, Clip, Mesh, Node, Pose
from .flesh import Flesh, Method, Parameter, Preset, methods, preset_settings, presets
from .scene import Actor, Collider, Scene, choose_substeps

__version__ = '%d.%d.%d' % VERSION
__all__ = ['Actor', 'Bones', 'Character', 'Clip', 'Collider', 'Document', 'Flesh', 'LibraryError', 'Mesh', 'Method', 'Node',
           'Parameter', 'Pose', 'Preset', 'Report', 'Scene', 'SuppleError', 'bake', 'choose_substeps', 'fit_bones',
           'methods', 'preset_settings', 'presets']
