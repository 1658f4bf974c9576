# SPDX-License-Identifier: MIT
"""compare_bakes.py SUPPLE OUT: `supple bake` on the exported character against what the add-on baked.

Exporters split vertices at seams, so vertices are paired by where plain skinning has them; then the same pairs are
compared with flesh. Prints the largest distances as parts of the size, and fails above 1e-4."""
import glob
import os
import struct
import subprocess
import sys

import numpy

TOLERANCE = 1e-4
CANDIDATES = 8


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


def pair(ours, theirs):
    """For each of their vertices the one of ours that plain skinning keeps nearest in all frames: candidates from three
    frames, since several meshes may lie on each other."""
    frames = [0, len(ours) // 2, len(ours) - 1]
    a, b = (numpy.concatenate([x[f] for f in frames], axis=1).astype('f8') for x in (ours, theirs))
    result = []
    squares = (a * a).sum(axis=1)
    for start in range(0, len(b), 256):
        part = slice(start, start + 256)
        near = numpy.argpartition(squares[None] - 2 * b[part] @ a.T, CANDIDATES, axis=1)[:, :CANDIDATES]
        off = [numpy.abs(ours[:, near[:, k]] - theirs[:, part]).max(axis=(0, 2)) for k in range(CANDIDATES)]
        best = numpy.stack(off, axis=1).argmin(axis=1)
        result.append(near[numpy.arange(len(near)), best])
    return numpy.concatenate(result)


def main():
    supple, out = sys.argv[1:3]
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
    pairs = pair(ours['lbs'], theirs['lbs'])
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
