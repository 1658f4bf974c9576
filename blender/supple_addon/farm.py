# SPDX-License-Identifier: MIT
"""Bakes characters and actions of a file without a window, for farms:

    blender -b shot.blend --python-exit-code 1 --addons supple_addon --python-expr \\
        "import supple_addon.farm; supple_addon.farm.main()" -- --out DIR [--characters A,B] [--actions Walk,Run] [--attach]

Each character and action becomes DIR/MESH.ACTION.pc2; without --actions the scene as it is, DIR/MESH.pc2."""
import argparse
import sys

import bpy

from . import supple
from .baking import bake_all
from .pickup import Problem
from .stage import soft_meshes


def parse(words):
    parser = argparse.ArgumentParser(prog='supple farm')
    parser.add_argument('--out', required=True, help='folder of the point caches')
    parser.add_argument('--characters', help='names of armatures; all soft ones')
    parser.add_argument('--actions', help='names of actions, each played by each character; the scene as it is')
    parser.add_argument('--attach', action='store_true', help='play the caches by Mesh Cache modifiers and save the file '
                        '(with one action at most)')
    return parser.parse_args(words)


def choose(names, there, what):
    if names is None:
        return list(there.values())
    missing = [name for name in names.split(',') if name not in there]
    if missing:
        raise Problem('no %s "%s"; there are: %s' % (what, missing[0], ', '.join(there) or 'none'))
    return [there[name] for name in names.split(',')]


def bake_action(context, armatures, action, out):
    """All characters play the action; simulated together, over its own range."""
    was = []
    try:
        for armature in armatures:
            data = armature.animation_data or armature.animation_data_create()
            was.append((data, data.action))
            data.action = action
        start, end = (int(round(frame)) for frame in action.frame_range)
        return bake_all(context, folder=out, start=start, end=end, armatures=armatures, suffix='.' + action.name,
                        attach=False)
    finally:
        for data, before in was:
            data.action = before


def run(context, arguments):
    there = {armature.name: armature for armature in soft_meshes(context.scene)}
    armatures = choose(arguments.characters, there, 'soft character')
    if not armatures:
        raise Problem('no mesh is soft: open the file, select a character and click Make Soft')
    if arguments.actions is None:
        frames = bake_all(context, folder=arguments.out, armatures=armatures, attach=arguments.attach)
        print('Supple: %d frames' % frames)
    else:
        for action in choose(arguments.actions, {a.name: a for a in bpy.data.actions}, 'action'):
            print('Supple: %s, %d frames' % (action.name, bake_action(context, armatures, action, arguments.out)))
    if arguments.attach:
        bpy.ops.wm.save_mainfile()


def main(words=None):
    if words is None:
        words = sys.argv[sys.argv.index('--') + 1:] if '--' in sys.argv else []
    try:
        run(bpy.context, parse(words))
    except (Problem, supple.SuppleError) as problem:
        print('Supple: %s' % problem, file=sys.stderr)
        # an exception of its own, so that --python-exit-code sees it
        raise SystemExit(1) from None
    return 0
