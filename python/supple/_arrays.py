# SPDX-License-Identifier: MIT
"""Buffers and sequences of numbers to arrays for the library, and back without copies."""
import array
import ctypes
import weakref

from . import _api

_CODES = {ctypes.c_float: 'f', ctypes.c_int32: 'i', ctypes.c_uint32: 'I', ctypes.c_uint16: 'H'}


def _flatten(values, out):
    for value in values:
        if hasattr(value, '__iter__'):
            _flatten(value, out)
        else:
            out.append(value)


def numbers(values, kind, width, name, count=None):
    """A ctypes array of `values`: any buffer (NumPy, array, memoryview) or nested sequences, `width` numbers per item.
    Returns (array, items). Shares the memory of a writable buffer of the right type."""
    code = _CODES[kind]
    try:
        view = memoryview(values)
    except TypeError:
        flat = []
        _flatten(values, flat)
        data = array.array(code, flat)
    else:
        if view.format == code and view.c_contiguous:
            data = view.cast('B') if view.nbytes else array.array(code)
        else:
            flat = view.tolist()
            out = []
            _flatten(flat, out)
            data = array.array(code, out)
    size = len(data) // ctypes.sizeof(kind) if isinstance(data, memoryview) else len(data)
    if size % width:
        raise ValueError('%s: %d numbers are no multiple of %d' % (name, size, width))
    if count is not None and size != count * width:
        raise ValueError('%s: expected %d x %d numbers (got %d)' % (name, count, width, size))
    shape = kind * size
    if size == 0:
        return shape(), 0
    if isinstance(data, memoryview) and data.readonly:
        return shape.from_buffer_copy(data), size // width
    return shape.from_buffer(data), size // width


def pointer(data, kind):
    return ctypes.cast(data, ctypes.POINTER(kind))


def matrix(value):
    """A supMat34 from 4 x 4 or 3 x 4 rows (lists, NumPy, mathutils.Matrix)."""
    rows = [[float(number) for number in row] for row in value]
    if len(rows) not in (3, 4) or any(len(row) != 4 for row in rows):
        raise ValueError('a matrix has 3 or 4 rows of 4 numbers')
    columns = [_api.supVec3(rows[0][c], rows[1][c], rows[2][c]) for c in range(4)]
    return _api.supMat34(*columns)


def matrices(values, name, count=None):
    """Any number of them: a buffer of 12 floats each (columns), or a sequence of matrices."""
    try:
        memoryview(values)
    except TypeError:
        items = [matrix(value) for value in values]
        if count is not None and len(items) != count:
            raise ValueError('%s: expected %d matrices (got %d)' % (name, count, len(items)))
        return (_api.supMat34 * len(items))(*items), len(items)
    return numbers(values, ctypes.c_float, 12, name, count)


def vec3(value):
    x, y, z = value
    return _api.supVec3(x, y, z)


def quat(value):
    """(w, x, y, z), as Blender and most of Python have it."""
    w, x, y, z = value
    return _api.supQuat(x, y, z, w)


class Views:
    """Memory of an object, shown without a copy. The object must not go while a view of it is in use."""

    def __init__(self, owner):
        self._owner = owner
        self._alive = weakref.WeakSet()

    def show(self, address, rows, columns):
        class Floats(ctypes.c_float * (rows * columns)):
            pass
        data = Floats.from_address(ctypes.cast(address, ctypes.c_void_p).value)
        data.owner = self._owner  # kept as long as the view
        self._alive.add(_Key(data))
        return memoryview(data).cast('B').cast('f', (rows, columns))

    @property
    def count(self):
        return len(self._alive)


class _Key:
    """Arrays compare by content and cannot be hashed; this stands for one, and ends with it."""

    def __init__(self, data):
        data.key = self
