# SPDX-License-Identifier: MIT
"""Point caches (PC2) for the Mesh Cache modifier: written frame by frame, in any order."""
import os
import struct

HEADER = struct.Struct('<12siiffi')
MAGIC = b'POINTCACHE2\0'


class PointCache:
    """A PC2 file of `count` vertices. Frames are counted from 0. Blender reads the file anew at each evaluation."""

    def __init__(self, path, count, frames):
        self.path = path
        self.count = count
        self.frames = frames
        self._file = open(path, 'w+b', buffering=0)
        try:
            self._write_all(0, HEADER.pack(MAGIC, 1, count, 0.0, 1.0, frames))
            # frames that were never written read as the origin, not as an error
            self._file.truncate(HEADER.size + 12 * count * frames)
        except OSError:
            self.discard()
            raise

    def _write_all(self, place, data):
        view = memoryview(data)
        while len(view):
            written = os.pwrite(self._file.fileno(), view, place)
            view, place = view[written:], place + written

    def write(self, frame, positions):
        """`positions`: a buffer of 3 x count floats."""
        self._write_all(HEADER.size + 12 * self.count * frame, memoryview(positions).cast('B'))

    def read(self, frame):
        return os.pread(self._file.fileno(), 12 * self.count, HEADER.size + 12 * self.count * frame)

    def finish(self, frames):
        """Ends the file after so many frames."""
        self._write_all(0, HEADER.pack(MAGIC, 1, self.count, 0.0, 1.0, frames))
        self._file.truncate(HEADER.size + 12 * self.count * frames)
        os.fsync(self._file.fileno())
        self._file.close()

    def discard(self):
        self._file.close()
        try:
            os.remove(self.path)
        except OSError:
            pass
