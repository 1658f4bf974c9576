# SPDX-License-Identifier: MIT
"""Supple makes animated characters soft: poses in, positions out. Reference: docs/python.md."""
from ._library import VERSION, LibraryError, SuppleError
from .bake import Bones, Document, Report, bake, fit_bones
from .character import Character, Clip, Mesh, Motion, Node, Pose
from .flesh import Flesh, Method, Parameter, Preset, build_times, methods, preset_settings, presets
from .scene import Actor, Collider, Scene, choose_substeps

__version__ = '%d.%d.%d' % VERSION
__all__ = ['Actor', 'Bones', 'Character', 'Clip', 'Collider', 'Document', 'Flesh', 'LibraryError', 'Mesh', 'Method', 'Motion', 'Node',
           'Parameter', 'Pose', 'Preset', 'Report', 'Scene', 'SuppleError', 'bake', 'build_times', 'choose_substeps', 'fit_bones',
           'methods', 'preset_settings', 'presets']
