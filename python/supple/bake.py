# SPDX-License-Identifier: MIT
"""Bakes to files, and helper bones from moving vertices."""
import ctypes
import os
from dataclasses import dataclass
from typing import Callable, Optional

from . import _api, _arrays
from ._library import Handle, SuppleError, check, core, io, path_bytes, pool
from .character import Character, Clip
from .flesh import Flesh


class Document(Handle):
    """A glTF file that is edited, not rebuilt."""

    def __init__(self, path):
        error = _api.supError()
        pointer = check(io().supLoadDocument(path_bytes(path), ctypes.byref(error)), error)
        self._own(pointer, io().supDestroyDocument)

    def character(self) -> Character:
        error = _api.supError()
        return Character(check(io().supDocument_CreateCharacter(self._use(), ctypes.byref(error)), error))

    def save(self, path):
        error = _api.supError()
        check(io().supSaveDocument(self._use(), path_bytes(path), ctypes.byref(error)), error)


@dataclass(frozen=True)
class Report:
    frames: int
    wanted_frames: int
    #: "good", "still" or "torn"
    verdict: str


def bake(flesh: Flesh, path, clip: Optional[Clip] = None, fps: float = 30.0, document: Optional[Document] = None,
         bones: Optional[int] = None, progress: Optional[Callable[[int, int], bool]] = None, threads: int = 0) -> Report:
    """Simulates a clip (None: the rest pose) and writes it by the extension of `path`: .pc2, .mdd, .obj, .usda; .glb and
    .gltf need the document of the character, with `bones` as helper bones. `progress(done, total)` returns False to
    stop, which writes nothing."""
    extension = os.path.splitext(os.fspath(path))[1].lower()
    if extension in ('.glb', '.gltf') and document is None:
        raise SuppleError('a bake to glTF needs the document that the character came from', os.fspath(path))
    if extension not in ('.pc2', '.mdd', '.obj', '.usda', '.glb', '.gltf'):
        raise SuppleError('expected .pc2, .mdd, .obj, .usda, .glb or .gltf', os.fspath(path))
    definition = io().supDefaultBakeDef()
    definition.framesPerSecond = fps
    definition.clip = clip._pointer if clip else None
    failure = []

    def report(done, total, _):
        try:
            return progress is None or progress(done, total) is not False
        except BaseException as error:  # C knows no exceptions: it is raised once the bake has stopped
            failure.append(error)
            return False
    callback = _api.supBakeProgressFcn(report)
    definition.progress = callback
    shared = pool(threads)
    definition.tasks = shared.tasks
    error = _api.supError()
    with shared.lock:
        frames = check(io().supBakeFrames(flesh._use(), ctypes.byref(definition), path_bytes(path) + b'.part',
                                          ctypes.byref(error)), error)
        try:
            if failure:
                raise failure[0]
            if io().supBake_IsComplete(frames):
                _write(frames, path, extension, document, bones, flesh, error)
            found = io().supBake_Report(frames).contents
            verdict = core().supVerdictName(core().supLooks_Verdict(ctypes.byref(found.looks))).decode()
            return Report(found.frameCount, found.wantedFrameCount, verdict)
        finally:
            io().supDestroyBake(frames, False)


def _write(frames, path, extension, document, bones, flesh, error):
    target = path_bytes(path)
    if extension in ('.pc2', '.mdd'):
        count = flesh.character.instance_count
        for instance in range(count):
            stem, dot = os.path.splitext(target)
            name = target if count == 1 else b'%s.%d%s' % (stem, instance, dot)
            check(io().supBake_SaveCache(frames, instance, name, ctypes.byref(error)), error)
        return
    if extension == '.obj':
        check(io().supBake_SaveObj(frames, target, ctypes.byref(error)), error)
        return
    if extension == '.usda':
        check(io().supBake_SaveUsd(frames, target, ctypes.byref(error)), error)
        return
    bakes = (ctypes.POINTER(_api.supBake) * 1)(frames)
    if bones:
        definition = core().supDefaultBonesDef()
        definition.helperCount = bones
        check(io().supDocument_AddBones(document._use(), bakes, 1, ctypes.byref(definition), 0.0, False, None, None,
                                        ctypes.byref(error)), error)
    else:
        check(io().supDocument_AddBakes(document._use(), bakes, 1, 0.0, False, ctypes.byref(error)), error)
    document.save(path)


@dataclass(frozen=True)
class Bones:
    """Helper bones that reproduce moving vertices beside bones whose motion was given."""
    helper_count: int
    #: index of the given bone that each helper belongs to, -1 without
    owners: list
    #: where each sits at rest, and how far what it moves reaches
    centers: list
    radii: list
    #: matrices[frame][helper]: 12 floats (columns) from rest positions to the frame
    matrices: list
    influences: int
    #: (vertices, influences): below the number of given bones one of these, else a helper
    joints: memoryview
    weights: memoryview
    rms: float
    worst: float
    start_rms: float


def fit_bones(rest, triangles, frames, helpers: int = 32, influences: int = 4, fixed=None, start_joints=None,
              start_weights=None, parts=None, progress: Optional[Callable[[float], bool]] = None, threads: int = 0) -> Bones:
    """Finds helper bones and weights for moving vertices. `frames` is a sequence of positions, each like `rest`;
    `fixed` a buffer of (frames, bones, 12) floats: matrices of given bones, from rest positions to each frame, with
    `start_joints` and `start_weights`, (vertices, n), to begin with. `parts`: a number per vertex; vertices of
    different meshes at one place are welded only within a part."""
    definition = core().supDefaultBonesDef()
    positions, count = _arrays.numbers(rest, ctypes.c_float, 3, 'rest')
    indices, triangle_count = _arrays.numbers(triangles, ctypes.c_uint32, 3, 'triangles')
    definition.vertexCount, definition.positions = count, _arrays.pointer(positions, _api.supVec3)
    definition.indexCount, definition.indices = 3 * triangle_count, _arrays.pointer(indices, ctypes.c_uint32)
    if parts is not None:
        numbers_of_parts, _ = _arrays.numbers(parts, ctypes.c_int32, 1, 'parts', count)
        definition.parts = _arrays.pointer(numbers_of_parts, ctypes.c_int32)
    definition.frameCount = len(frames)
    definition.helperCount, definition.influences = helpers, influences
    failure = []

    def read(frame, out, _, error):
        try:
            data, _items = _arrays.numbers(frames[frame], ctypes.c_float, 3, 'frames[%d]' % frame, count)
            ctypes.memmove(out, data, 12 * count)
            return True
        except BaseException as problem:
            failure.append(problem)
            error.contents.code = _api.sup_errorRead
            return False

    def advance(share, _):
        try:
            return progress is None or progress(share) is not False
        except BaseException as problem:
            failure.append(problem)
            return False
    keep = [_api.supReadPositionsFcn(read), _api.supBonesProgressFcn(advance)]
    definition.read, definition.progress = keep
    if fixed is not None:
        data, matrices = _arrays.numbers(fixed, ctypes.c_float, 12, 'fixed')
        if len(frames) == 0 or matrices % len(frames):
            raise ValueError('fixed: %d matrices are no multiple of %d frames' % (matrices, len(frames)))
        definition.fixedCount = matrices // len(frames)
        definition.fixedMatrices = _arrays.pointer(data, _api.supMat34)
        weights, numbers = _arrays.numbers(start_weights, ctypes.c_float, 1, 'start_weights')
        joints, _items = _arrays.numbers(start_joints, ctypes.c_uint16, 1, 'start_joints', numbers)
        definition.startInfluences = numbers // count if count else 0
        definition.startJoints = _arrays.pointer(joints, ctypes.c_uint16)
        definition.startWeights = _arrays.pointer(weights, ctypes.c_float)
    shared = pool(threads)
    definition.tasks = shared.tasks
    error = _api.supError()
    with shared.lock:
        found = core().supBakeBones(ctypes.byref(definition), ctypes.byref(error))
    if failure:
        core().supDestroyBakedBones(found)
        raise failure[0]
    check(found, error)
    try:
        return _copy_bones(found.contents)
    finally:
        core().supDestroyBakedBones(found)


def _copy(pointer, kind, code, size):
    data = (kind * size).from_buffer_copy(ctypes.string_at(pointer, ctypes.sizeof(kind) * size)) if size else (kind * 0)()
    return memoryview(data).cast('B').cast(code)


def _copy_bones(b):
    helpers, frames = b.helperCount, b.frameCount
    flat = _copy(b.matrices, ctypes.c_float, 'f', 12 * helpers * frames)
    matrices = [[flat[12 * (f * helpers + h):12 * (f * helpers + h) + 12] for h in range(helpers)] for f in range(frames)]
    centers = [(b.centers[i].x, b.centers[i].y, b.centers[i].z) for i in range(helpers)]
    slots = b.vertexCount * b.influences
    return Bones(helpers, [b.owners[i] for i in range(helpers)], centers, [b.radii[i] for i in range(helpers)], matrices,
                 b.influences, _copy(b.joints, ctypes.c_uint16, 'H', slots), _copy(b.weights, ctypes.c_float, 'f', slots),
                 b.error.rms, b.error.worst, b.startError.rms)
