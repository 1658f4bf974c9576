# SPDX-License-Identifier: MIT
"""The library as a copy of its own for each Blender. Installing a newer add-on overwrites files in place: a running
Blender that had mapped them would crash."""
import ctypes
import os
import shutil
import tempfile


def load(path):
    """Loads a copy that no name leads to, or the file itself where there is no room or no right for one."""
    try:
        descriptor, copy = tempfile.mkstemp('-' + os.path.basename(path))
    except OSError:
        return ctypes.CDLL(path)
    try:
        with open(path, 'rb') as original, os.fdopen(descriptor, 'wb') as out:
            shutil.copyfileobj(original, out)
        return ctypes.CDLL(copy)
    except OSError:
        return ctypes.CDLL(path)
    finally:
        os.unlink(copy)
