# SPDX-License-Identifier: MIT
"""Bakes a clip to a point cache, or to a GLB with helper bones.

    python3 bake.py FILE.glb OUT.pc2|OUT.glb [CLIP]
"""
import sys

import supple

source, target = sys.argv[1:3]
try:
    document = supple.Document(source)
    character = document.character()
    clip = character.clip(sys.argv[3]) if len(sys.argv) > 3 else character.clips[0]
    flesh = supple.Flesh(character, preset='standard')
    report = supple.bake(flesh, target, clip, fps=24, document=document, bones=8 if target.endswith('.glb') else None,
                         progress=lambda done, total: print('\r%d of %d' % (done, total), end='', file=sys.stderr))
except supple.SuppleError as error:
    sys.exit(str(error))
print('%d frames, looks %s' % (report.frames, report.verdict))
