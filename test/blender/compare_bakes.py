# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python-exit-code 3 --python compare_bakes.py -- SUPPLE OUT
"""`supple bake` on the exported character against what the add-on baked (against_supple.py).

Exporters split vertices at seams: the last texture coordinates of each vertex hold its number in Blender. Prints the
largest distances as parts of the size, and fails above 1e-4. Runs in Blender for its NumPy."""
import glob
import json
import os
import struct
import subprocess
import sys

import numpy

TOLERANCE = 1e-4


def bake(supple, out, method):
    folder = os.path.join(out, 'supple_' + method)
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(folder + '/*'):
        os.remove(old)
    subprocess.run([supple, 'bake', os.path.join(out, 'exported.glb'), '--method', method, '--fps', '24', '--clip', '#0', '--quiet',
                    '-o', os.path.join(folder, 'out.pc2')], check=True)
    meshes = []
    for path in sorted(glob.glob(folder + '/*.pc2')):
        with open(path, 'rb') as file:
            count, frames = struct.unpack('<12siiffi', file.read(32))[2::3]
            meshes.append(numpy.frombuffer(file.read(), 'f4').reshape(frames, count, 3))
    return numpy.concatenate(meshes, axis=1)


def read_numbers(path):
    """The number of each exported vertex, mesh after mesh in the order of their nodes, as `supple bake` writes them."""
    with open(path, 'rb') as file:
        data = file.read()
    length, = struct.unpack_from('<I', data, 12)
    gltf, start = json.loads(data[20:20 + length]), 28 + length
    result = []
    for mesh in [node['mesh'] for node in gltf['nodes'] if 'mesh' in node]:
        for primitive in gltf['meshes'][mesh]['primitives']:
            last = max(name for name in primitive['attributes'] if name.startswith('TEXCOORD_'))
            accessor = gltf['accessors'][primitive['attributes'][last]]
            view = gltf['bufferViews'][accessor['bufferView']]
            assert accessor['componentType'] == 5126 and accessor['type'] == 'VEC2'
            uv = numpy.frombuffer(data, 'f4', 2 * accessor['count'], start + view['byteOffset']).reshape(-1, 2)
            u, v = numpy.rint(4096 * uv[:, 0]), numpy.rint(4096 * (1 - uv[:, 1]))
            result.append((u + 4096 * v).astype(int))
    return numpy.concatenate(result)


def main():
    supple, out = sys.argv[sys.argv.index('--') + 1:]
    theirs = {method: bake(supple, out, method) for method in ('lbs', 'position')}
    with open(os.path.join(out, 'frames.txt')) as file:
        frames = int(file.read())
    ours = {}
    for method in theirs:
        data = numpy.fromfile(os.path.join(out, method + '.f32'), 'f4')
        assert len(theirs[method]) == frames, 'the exported clip has %d frames, not %d' % (len(theirs[method]), frames)
        ours[method] = data.reshape(frames, -1, 3)
    rest = theirs['lbs'][0]
    size = (rest.max(axis=0) - rest.min(axis=0)).max()
    pairs = read_numbers(os.path.join(out, 'exported.glb'))
    worst = {}
    for method in theirs:
        distance = numpy.linalg.norm(ours[method][:, pairs] - theirs[method], axis=2)
        worst[method] = distance.max() / size
        print('%-9s worst %.2e, 99.9%% %.2e, mean %.2e of the size %.3g m' % (
            method, worst[method], numpy.quantile(distance, 0.999) / size, distance.mean() / size, size))
    moved = numpy.linalg.norm(theirs['position'] - theirs['lbs'], axis=2).max() / size
    print('%d frames, %d vertices, flesh moves up to %.2e' % (len(theirs['lbs']), theirs['lbs'].shape[1], moved))
    sys.exit(0 if max(worst.values()) <= TOLERANCE else 1)


main()
