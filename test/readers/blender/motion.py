# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python-exit-code 3 --python motion.py -- DUMP_JOINTS FILE.bvh
#
# Blender and Supple read the same motion; every joint must be at the same place at the same frame within 1e-4 of the
# skeleton's size.
import subprocess
import sys

import bpy
import io_anim_bvh.import_bvh
import numpy as np

# the importer of Blender 3.4 opens files in a mode that Python 3.11 has dropped
io_anim_bvh.import_bvh.open = lambda path, mode: open(path, mode.replace('U', ''))

TOLERANCE = 1e-4


def frame_time(path):
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.lower().startswith('frame time:'):
                return float(line.split(':')[1])
    raise ValueError('no frame time')


def supple_joints(dump_joints, path, times):
    text = subprocess.run([dump_joints, path] + [repr(t) for t in times], check=True, stdout=subprocess.PIPE).stdout
    frames = []
    for block in text.decode().split('\n\n')[:len(times)]:
        rows = [line.split('\t') for line in block.split('\n')]
        frames.append({row[0]: np.array([float(x) for x in row[1:]]) for row in rows})
    return frames


def main():
    dump_joints, path = sys.argv[sys.argv.index('--') + 1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_anim.bvh(filepath=path, rotate_mode='NATIVE', axis_forward='-Z', axis_up='Y', frame_start=1)
    figure = bpy.context.object
    count = int(figure.animation_data.action.frame_range[1])
    frames = sorted({1, count // 3, count * 2 // 3, count})
    seconds = frame_time(path)
    failed = False
    for frame, ours in zip(frames, supple_joints(dump_joints, path, [(frame - 1) * seconds for frame in frames])):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        evaluated = figure.evaluated_get(graph)
        heads = {bone.name: evaluated.matrix_world @ bone.head for bone in evaluated.pose.bones}
        theirs = {name: np.array([p.x, p.z, -p.y]) for name, p in heads.items()}
        places = np.array(list(theirs.values()))
        size = float((places.max(axis=0) - places.min(axis=0)).max())
        worst = max(float(np.linalg.norm(place - ours[name])) for name, place in theirs.items())
        print('frame %d: %d joints, %.2e of the size %.4g' % (frame, len(theirs), worst / size, size))
        failed = failed or not worst / size <= TOLERANCE
    sys.stdout.flush()
    if failed:
        sys.exit(1)


main()
