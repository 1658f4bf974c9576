# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python-exit-code 3 --python compare.py -- DUMP_POSES FILE [OTHER [CLIP SECONDS]]
#
# Blender and Supple read the same file and pose it with the same clips at the same times; every vertex must come out at
# the same place within 1e-4 of the character's size. With OTHER, Supple reads that one instead: FILE is then what
# Supple wrote after reading it. With CLIP and SECONDS, FILE is one frame and shows OTHER in this pose.
#
# Times are those of keys: Blender interpolates the four components of a rotation separately, glTF along the great arc.
import json
import os
import struct
import subprocess
import sys
import tempfile

import bpy
import numpy as np

np.bool = bool  # the importer of Blender 3.4 uses a name that NumPy has dropped

TOLERANCE = 1e-4
MOST_CLIPS = 4
FPS = 24


def read_gltf(path):
    """JSON, and all buffers as bytes."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:4] == b'glTF':
        length = struct.unpack_from('<I', data, 12)[0]
        return json.loads(data[20:20 + length]), data[28 + length:]
    document = json.loads(data)
    assert len(document['buffers']) == 1, 'more than one buffer'
    uri = document['buffers'][0].pop('uri')
    if uri.startswith('data:'):
        import base64
        return document, base64.b64decode(uri.split(',', 1)[1])
    with open(os.path.join(os.path.dirname(path), uri), 'rb') as file:
        return document, file.read()


def write_glb(path, document, binary):
    text = json.dumps(document).encode()
    text += b' ' * (-len(text) % 4)
    binary = bytes(binary) + b'\0' * (-len(binary) % 4)
    with open(path, 'wb') as file:
        file.write(struct.pack('<4sII', b'glTF', 2, 28 + len(text) + len(binary)))
        file.write(struct.pack('<I4s', len(text), b'JSON') + text)
        file.write(struct.pack('<I4s', len(binary), b'BIN\0') + binary)


def with_one_clip(document, clip):
    """A copy in which nodes are called after their index, without pictures, with one clip or none."""
    copy = json.loads(json.dumps(document))
    for key in ('materials', 'textures', 'images', 'samplers', 'extensionsRequired', 'extensionsUsed'):
        copy.pop(key, None)
    for index, node in enumerate(copy['nodes']):
        node['name'] = 'node%d' % index
    for mesh in copy['meshes']:
        for primitive in mesh['primitives']:
            primitive.pop('material', None)
    clips = copy.pop('animations', [])
    if clip >= 0:
        copy['animations'] = [clips[clip]]
    return copy


def key_times(document, binary, clip):
    """Up to four times that all channels have keys at, or those of the channel with most keys: Blender interpolates
    rotations by their components, glTF along the sphere, and they agree at keys alone."""
    animation = document['animations'][clip]
    lists = []
    for sampler in animation['samplers']:
        accessor = document['accessors'][sampler['input']]
        view = document['bufferViews'][accessor['bufferView']]
        offset = view.get('byteOffset', 0) + accessor.get('byteOffset', 0)
        lists.append(np.frombuffer(binary, dtype='<f4', count=accessor['count'], offset=offset))
    longest = max(lists, key=len)
    common = [t for t in longest if all(len(other) < 2 or np.abs(other - t).min() < 1e-5 for other in lists)]
    times = common if len(common) >= 4 else longest
    picked = sorted({0, len(times) // 3, len(times) * 2 // 3, len(times) - 1})
    return [float(times[i]) for i in picked]


def blender_positions(seconds):
    """Positions by node index, in glTF's axes."""
    scene = bpy.context.scene
    frame = seconds * FPS
    scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for thing in bpy.data.objects:
        # the importer adds a small sphere to draw bones with
        if thing.type != 'MESH' or not thing.name.startswith('node'):
            continue
        evaluated = thing.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        local = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get('co', local)
        world = np.array(evaluated.matrix_world, dtype=np.float64)
        points = local.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        found[int(thing.name[4:])] = points[:, [0, 2, 1]] * [1, 1, -1]
        evaluated.to_mesh_clear()
    return found


def supple_positions(dump_poses, path, cases):
    """The same for each case, from dump_poses."""
    arguments = [text for clip, seconds in cases for text in (str(clip), repr(seconds))]
    data = subprocess.run([dump_poses, path] + arguments, check=True, stdout=subprocess.PIPE).stdout
    at = 0

    def integers(count):
        nonlocal at
        at += 4 * count
        return struct.unpack_from('<%di' % count, data, at - 4 * count)

    poses = []
    for _ in cases:
        meshes = {}
        for _ in range(integers(1)[0]):
            node, primitives = integers(2)
            count = sum(integers(primitives))
            meshes[node] = np.frombuffer(data, dtype='<f4', count=3 * count, offset=at).reshape(-1, 3)
            at += 12 * count
        poses.append(meshes)
    assert at == len(data)
    return poses


def worst_distance(theirs, ours):
    assert sorted(theirs) == sorted(ours), 'Blender has nodes %s, Supple %s' % (sorted(theirs), sorted(ours))
    worst = 0.0
    for node, points in theirs.items():
        assert points.shape == ours[node].shape, 'node %d: %s, Supple %s' % (node, points.shape, ours[node].shape)
        worst = max(worst, float(np.linalg.norm(points - ours[node], axis=1).max()))
    return worst


def main():
    dump_poses, path, *rest = sys.argv[sys.argv.index('--') + 1:]
    other = rest[0] if rest else path
    frozen = (int(rest[1]), float(rest[2])) if len(rest) > 1 else (-1, 0.0)
    document, binary = read_gltf(path)
    clip_count = len(document.get('animations', []))
    step = max(1, -(-clip_count // MOST_CLIPS))
    failed = False
    size = 0.0
    for clip in [-1] + list(range(0, clip_count, step)):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = FPS
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, 'copy.glb')
            write_glb(copy, with_one_clip(document, clip), binary)
            bpy.ops.import_scene.gltf(filepath=copy, merge_vertices=False)
        cases = [(clip, seconds) for seconds in key_times(document, binary, clip)] if clip >= 0 else [frozen]
        for (_, seconds), ours in zip(cases, supple_positions(dump_poses, other, cases)):
            theirs = blender_positions(seconds)
            if clip < 0:
                together = np.concatenate(list(theirs.values()))
                size = float((together.max(axis=0) - together.min(axis=0)).max())
            relative = worst_distance(theirs, ours) / size
            name = 'rest' if clip < 0 else document['animations'][clip].get('name', 'clip %d' % clip)
            print('%s at %.4f s: %.2e of the size %.4g' % (name, seconds, relative, size))
            failed = failed or not relative <= TOLERANCE
    sys.stdout.flush()
    if failed:
        sys.exit(1)


if __name__ == '__main__':
    main()
