# SPDX-License-Identifier: MIT
"""Finds and loads the shared libraries, and turns their errors into exceptions."""
import ctypes
import os
import sys
import threading
import weakref

from . import _api

VERSION = (_api.SUP_VERSION_MAJOR, _api.SUP_VERSION_MINOR, _api.SUP_VERSION_PATCH)


class SuppleError(Exception):
    """An error of the library: what is wrong and the remedy, with the place (file, setting, joint)."""

    def __init__(self, message, where='', code=_api.sup_errorArgument):
        super().__init__('%s: %s' % (where, message) if where else message)
        self.message = message
        self.where = where
        self.code = code


class LibraryError(SuppleError, ImportError):
    """The shared library is missing or of another version."""


def _file_names(stem):
    version = '%d.%d' % VERSION[:2]
    if sys.platform == 'win32':
        return [stem + '.dll']
    if sys.platform == 'darwin':
        return ['lib%s.%s.dylib' % (stem, version), 'lib%s.dylib' % stem]
    return ['lib%s.so.%s' % (stem, version), 'lib%s.so' % stem]


def _folders():
    """Where a library may lie: the folder named by SUPPLE_LIBRARY alone, or this package, then the system's."""
    given = os.environ.get('SUPPLE_LIBRARY')
    if given:
        return [given]
    return [os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'), '']


#: loads the file of a library; replaced where a program must not depend on that file afterwards
load = ctypes.CDLL


def _open(stem, remedy):
    tried = []
    for folder in _folders():
        for name in _file_names(stem):
            path = os.path.join(folder, name)
            if folder and not os.path.exists(path):
                tried.append(path)
                continue
            try:
                return load(path), path
            except OSError as error:
                tried.append(str(error))
    raise LibraryError('cannot load %s (%s); %s' % (stem, '; '.join(tried), remedy))


def _bind(library, functions, path):
    class Functions:
        pass
    bound = Functions()
    for name, (result, arguments) in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryError('%s has no function %s: it is of another version; install libsupple %d.%d.%d'
                               % ((path, name) + VERSION)) from None
        function.restype = result
        function.argtypes = arguments
        setattr(bound, name, function)
    return bound


def check_version(path, found):
    """Raises where a library of version `found` does not fit this package."""
    if found != VERSION:
        raise LibraryError('%s is version %d.%d.%d, but this package is for %d.%d.%d; install both from one release'
                           % ((path,) + found + VERSION))


_loaded = {}
_lock = threading.Lock()


def core():
    """The functions of libsupple."""
    if 'core' not in _loaded:
        with _lock:
            library, path = _open('supple', 'build it with `make python`, or set SUPPLE_LIBRARY to its folder')
            library.supGetVersion.restype = _api.supVersion
            version = library.supGetVersion()
            check_version(path, (version.major, version.minor, version.patch))
            _loaded['core'] = _bind(library, _api.CORE_FUNCTIONS, path)
    return _loaded['core']


def io():
    """The functions of libsupple_io: files. Needs assimp and jansson on the machine."""
    core()
    if 'io' not in _loaded:
        with _lock:
            library, path = _open('supple_io', 'reading files needs libassimp5 and libjansson4 (Debian)')
            _loaded['io'] = _bind(library, _api.IO_FUNCTIONS, path)
    return _loaded['io']


def text(data):
    return data.decode('utf-8', 'replace') if data else ''


def path_bytes(path):
    return os.fsencode(os.fspath(path))


def check(result, error):
    """Hands on what a function returned, or raises what it left in `error`."""
    if not result:
        raise SuppleError(text(error.message) or text(core().supErrorText(error.code)), text(error.where), error.code)
    return result


class Handle:
    """An object of the library. It frees itself; close() does so now."""

    def _own(self, pointer, destroy, *keep):
        """`keep` stays alive until the object is destroyed, whatever order the collector takes."""
        self._pointer = pointer
        self._finalizer = weakref.finalize(self, _destroy, destroy, pointer, keep)

    @property
    def closed(self):
        return not self._finalizer.alive

    def close(self):
        self._finalizer()

    def _use(self):
        if not self._finalizer.alive:
            raise ValueError('this %s is closed' % type(self).__name__)
        return self._pointer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _destroy(destroy, pointer, keep):
    destroy(pointer)
    del keep


class Pool(Handle):
    """Threads that work on scenes. One loop at a time: calls that use the pool take its lock."""

    def __init__(self, count=0):
        pointer = core().supCreateThreadPool(count)
        if not pointer:
            raise MemoryError('cannot start %d threads' % count)
        self.lock = threading.RLock()
        self._own(pointer, core().supDestroyThreadPool)

    @property
    def tasks(self):
        return core().supThreadPool_Tasks(self._use())


_pools = {}


def pool(count=0):
    """The pool with so many threads, shared by all who ask; 0: one for each processor."""
    with _lock:
        if count not in _pools:
            _pools[count] = Pool(count)
        return _pools[count]
