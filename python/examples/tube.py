# SPDX-License-Identifier: MIT
"""A character from plain arrays: a tube on three joints that bends, with flesh.

    python3 tube.py
"""
import math

import supple

RINGS, SIDES, HEIGHT, RADIUS = 17, 12, 2.0, 0.3
vertices, triangles, joints, weights = [], [], [], []
for ring in range(RINGS):
    place = 2 * ring / (RINGS - 1)
    lower = min(int(place), 1)
    for side in range(SIDES):
        angle = 2 * math.pi * side / SIDES
        vertices.append((RADIUS * math.cos(angle), HEIGHT * ring / (RINGS - 1), -RADIUS * math.sin(angle)))
        joints.append((lower, lower + 1))
        weights.append((1 - place + lower, place - lower))
        if ring + 1 < RINGS:
            a, b = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
            triangles += [(a, b, a + SIDES), (b, b + SIDES, a + SIDES)]
for end, turn in ((0, -1), (RINGS - 1, 1)):  # caps
    ring = [end * SIDES + side for side in range(SIDES)][::turn]
    triangles += [(ring[0], ring[i], ring[i + 1]) for i in range(1, SIDES - 1)]


def up(distance):
    return ((1, 0, 0, 0), (0, 1, 0, distance), (0, 0, 1, 0), (0, 0, 0, 1))


character = supple.Character.from_arrays(
    [supple.Node('root'), supple.Node('middle', 0, up(1)), supple.Node('tip', 1, up(1))],
    [supple.Mesh('tube', vertices, triangles, skin=(0, 1, 2), inverse_binds=[up(0), up(-1), up(-2)], joints=joints,
                 weights=weights, influences=2)])
scene = supple.Scene(substeps=2)
actor = scene.add(supple.Flesh(character, method='position', settings={'softness': 0.8}))
for frame in range(30):
    angle = math.radians(min(6 * frame, 90))
    actor.pose.set_local(1, translation=(0, 1, 0), rotation=(math.cos(angle / 2), 0, 0, math.sin(angle / 2)))
    scene.step(1 / 30)
positions = actor.positions()
x, y, z = (positions[len(positions) - SIDES, axis] for axis in range(3))
print('the rim of the tip is at (%.2f, %.2f, %.2f)' % (x, y, z))
