# SPDX-License-Identifier: MIT
"""Plays a clip with flesh and prints how far the flesh is from plain skinning.

    python3 soften.py FILE [CLIP]
"""
import sys

import supple

FPS = 30
character = supple.Character.load(sys.argv[1])
clip = character.clip(sys.argv[2]) if len(sys.argv) > 2 else character.clips[0]
flesh = supple.Flesh(character, method='position', preset='jelly')
scene = supple.Scene(substeps=supple.choose_substeps(1 / FPS))
soft = scene.add(flesh)
plain = scene.add(supple.Flesh(character, method='lbs'))

for actor in scene.actors:
    actor.pose.apply(clip, clip.start)
    actor.reset()
farthest = 0.0
for frame in range(1, int((clip.end - clip.start) * FPS) + 1):
    for actor in scene.actors:
        actor.pose.apply(clip, clip.start + frame / FPS)
    scene.step(1 / FPS)
    # memory of the library, no copies; with NumPy: numpy.asarray(soft.positions())
    for p, q in zip(soft.positions().tolist(), plain.positions().tolist()):
        farthest = max(farthest, sum((a - b) ** 2 for a, b in zip(p, q)) ** 0.5)
print('%s, %s: flesh moves up to %.1f mm' % (character.name or sys.argv[1], clip.name, 1000 * farthest))
