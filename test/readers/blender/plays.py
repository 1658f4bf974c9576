# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python-exit-code 3 --python plays.py -- DUMP_POSES FILE
#
# A plain import of a baked file: nothing is chosen, unmuted or renamed. Its first clip must play at once, and every
# vertex must stand where Supple puts it. Blender's importer stashes every clip on a muted track and makes the first one
# active, so that this holds for what stands first in the file.
import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compare import FPS, TOLERANCE, key_times, read_gltf, supple_positions

SHARES = (0, 0.3, 0.6, 1)


def positions(seconds):
    scene = bpy.context.scene
    frame = seconds * FPS
    scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for thing in bpy.data.objects:
        # armatures come with a small sphere to draw bones with, which nothing in the scene uses
        if thing.type == 'MESH' and thing.name in scene.objects:
            evaluated = thing.evaluated_get(graph)
            mesh = evaluated.to_mesh()
            local = np.empty(3 * len(mesh.vertices), dtype=np.float32)
            mesh.vertices.foreach_get('co', local)
            world = np.array(evaluated.matrix_world, dtype=np.float64)
            points = local.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
            found[len(points)] = points[:, [0, 2, 1]] * [1, 1, -1]
            evaluated.to_mesh_clear()
    return found


def main():
    dump_poses, path = sys.argv[sys.argv.index('--') + 1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    # of the options only this one, without which vertices could not be told apart
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
    document, binary = read_gltf(path)
    assert len(document['animations']) > 1, 'there is no other clip that could play instead'
    times = key_times(document, binary, 0)
    ours = supple_positions(dump_poses, path, [(0, seconds) for seconds in times])
    first = None
    moved = 0.0
    for seconds, poses in zip(times, ours):
        theirs = positions(seconds)
        for points in poses.values():
            size = float((points.max(axis=0) - points.min(axis=0)).max())
            distance = float(np.linalg.norm(theirs[len(points)] - points, axis=1).max())
            print('at %.4f s: %.2e of the size %.4g' % (seconds, distance / size, size))
            assert distance <= TOLERANCE * size, 'Blender shows something else'
        together = np.concatenate([theirs[len(points)] for points in poses.values()])
        first = together if first is None else first
        moved = max(moved, float(np.linalg.norm(together - first, axis=1).max()) / size)
    assert moved > 0.05, 'nothing moves after a plain import (%.2e of the size)' % moved


main()
