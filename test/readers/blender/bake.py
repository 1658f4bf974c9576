# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python-exit-code 3 --python bake.py -- SUPPLE DUMP_POSES FILE CLIP
#
# Supple bakes a clip (given by its index) with linear blend skinning; Blender plays the GLB and applies the PC2 and MDD
# caches to the meshes of the source through its Mesh Cache modifier. Every vertex of every skinned mesh must stand where
# Supple puts it when it poses the source itself, within 1e-4 of the character's size.
import glob
import os
import re
import subprocess
import sys
import tempfile

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compare import FPS, TOLERANCE, blender_positions, read_gltf, supple_positions, with_one_clip, worst_distance, write_glb

failed = False


def report(what, theirs, ours, size):
    global failed
    relative = worst_distance(theirs, ours) / size
    print('%s: %.2e of the size %.4g' % (what, relative, size))
    failed = failed or not relative <= TOLERANCE


def frame_times(document, clip):
    """As the baker samples: 32-bit, from the first key on."""
    inputs = [document['accessors'][sampler['input']] for sampler in document['animations'][clip]['samplers']]
    start = np.float32(min(a['min'][0] for a in inputs))
    end = np.float32(max(a['max'][0] for a in inputs))
    count = int((end - start) * np.float32(FPS) + np.float32(1e-3)) + 1
    return [float(start + np.float32(i) / np.float32(FPS)) for i in range(count)]


def import_document(document, binary, clip):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'copy.glb')
        write_glb(path, with_one_clip(document, clip), binary)
        bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)


def compare_glb(path, clip, times, poses, skinned, size):
    document, binary = read_gltf(path)
    import_document(document, binary, clip)
    for i in range(len(times)):
        theirs = {node: points for node, points in blender_positions(times[i]).items() if node in skinned}
        report('GLB, frame %d' % (i + 1), theirs, poses[i], size)
        if i > 0:
            theirs = {n: p for n, p in blender_positions(0.5 * (times[i - 1] + times[i])).items() if n in skinned}
            between = {n: 0.5 * (poses[i - 1][n] + poses[i][n]) for n in skinned}
            report('GLB, before frame %d' % (i + 1), theirs, between, size)


def apply_cache(thing, node, path):
    """A new object at the origin with the mesh of another, moved by nothing but the cache."""
    mesh = thing.data.copy()
    copy = bpy.data.objects.new('cached', mesh)
    bpy.context.scene.collection.objects.link(copy)
    copy.shape_key_clear()
    modifier = copy.modifiers.new('cache', 'MESH_CACHE')
    modifier.cache_format = os.path.splitext(path)[1][1:].upper()
    modifier.filepath = path
    modifier.frame_start = 0
    modifier.forward_axis = 'POS_Z'
    modifier.up_axis = 'NEG_Y'
    return copy, 'node%d' % node


def compare_caches(folder, kind, document, binary, poses, skinned, size):
    import_document(document, binary, -1)
    files = glob.glob(os.path.join(folder, 'out*' + kind))
    copies = []
    for thing in [t for t in bpy.data.objects if t.type == 'MESH' and t.name.startswith('node')]:
        node = int(thing.name[4:])
        word = re.sub(r'[^A-Za-z0-9-]', '.', document['nodes'][node].get('name', ''))
        fitting = files if len(files) == 1 else [f for f in files if re.fullmatch('out.%s' % word + kind, os.path.basename(f))]
        if node in skinned:
            assert len(fitting) == 1, '%s: %s' % (thing.name, files)
            copies.append(apply_cache(thing, node, fitting[0]))
    for thing in [t for t in bpy.data.objects if t.name.startswith('node')]:
        bpy.data.objects.remove(thing)
    for copy, name in copies:
        copy.name = name
    for i, ours in enumerate(poses):
        report('%s, frame %d' % (kind, i + 1), blender_positions(i / FPS), ours, size)


def main():
    supple, dump_poses, path, clip = sys.argv[sys.argv.index('--') + 1:]
    clip = int(clip)
    with tempfile.TemporaryDirectory() as folder:
        if path.startswith('builtin:'):
            name = path[len('builtin:'):]
            subprocess.run([supple, 'models', name, '--export', folder, '--quiet'], check=True)
            path = os.path.join(folder, name + '.glb')
        for kind in ('.glb', '.pc2', '.mdd'):
            command = [supple, 'bake', path, '--clip', '#%d' % clip, '--method', 'lbs', '--fps', str(FPS), '--quiet']
            command += ['-o', os.path.join(folder, 'out' + kind)] + (['--tolerance', '0'] if kind == '.glb' else [])
            subprocess.run(command, check=True)
        document, binary = read_gltf(path)
        times = frame_times(document, clip)
        skinned = {i for i, node in enumerate(document['nodes']) if 'mesh' in node and 'skin' in node}
        assert skinned and len(times) >= 10, 'there is too little to compare'
        poses = supple_positions(dump_poses, path, [(clip, time) for time in times])
        poses = [{node: points for node, points in pose.items() if node in skinned} for pose in poses]
        together = np.concatenate(list(poses[0].values()))
        size = float((together.max(axis=0) - together.min(axis=0)).max())
        # what was baked is the first clip, and the only one
        compare_glb(os.path.join(folder, 'out.glb'), 0, times, poses, skinned, size)
        for kind in ('.pc2', '.mdd'):
            compare_caches(folder, kind, document, binary, poses, skinned, size)
    sys.stdout.flush()
    if failed:
        sys.exit(1)


main()
