# SPDX-License-Identifier: MIT
"""Scenes: actors and colliders that are moved forward in time."""
import ctypes
from typing import List, Optional

from . import _api, _arrays
from ._library import Handle, check, core, pool
from .character import Pose
from .flesh import Flesh, find_parameter, methods


class Actor:
    """Flesh in a scene: poses in, positions out."""

    def __init__(self, scene, flesh, pointer):
        self.scene = scene
        self.flesh = flesh
        self._pointer = pointer
        self._views = _arrays.Views(self)
        self.pose = Pose(self, core().supActor_Pose(pointer), flesh.character)

    def _use(self):
        self.scene._use()
        if not self._pointer:
            raise ValueError('this actor was removed from its scene')
        return self._pointer

    def reset(self):
        """Puts it into its pose at rest, as if it had been there for ever."""
        core().supActor_Reset(self._use())

    def positions(self, instance: int = 0) -> memoryview:
        """World positions as of the last step, (vertices, 3) floats without a copy: they change with each step.
        numpy.asarray(view) shares them."""
        return self._show(core().supActor_Positions, instance)

    def normals(self, instance: int = 0) -> memoryview:
        return self._show(core().supActor_Normals, instance)

    def _show(self, function, instance):
        count = self.flesh.character.vertex_count(instance)
        return self._views.show(function(self._use(), instance), count, 3)

    def positions_into(self, out, matrix, instance: int = 0):
        """Writes the positions, transformed by a supMat34, into a writable buffer of floats: (vertices, 3)."""
        count = self.flesh.character.vertex_count(instance)
        data, _ = _arrays.numbers(out, ctypes.c_float, 3, 'out', count)
        core().supTransformPoints(matrix, core().supActor_Positions(self._use(), instance), count,
                                  _arrays.pointer(data, _api.supVec3))

    def set(self, parameter: str, value: float):
        """Changes a live parameter while it runs."""
        index = find_parameter(self.flesh.method, parameter)
        entry = methods()[self.flesh.method].parameters[index]
        if not entry.live:
            raise ValueError('%s is fixed when flesh is built; rebuild the flesh' % parameter)
        if not entry.minimum <= value <= entry.maximum:
            raise ValueError('%s: expected %g to %g (got %g)' % (parameter, entry.minimum, entry.maximum, value))
        core().supActor_SetParameter(self._use(), index, value)

    def touch(self, colliders: bool = True, actors: bool = False, itself: bool = False):
        """What it collides with."""
        settings = core().supDefaultContactSettings()
        settings.withColliders, settings.withActors, settings.withItself = colliders, actors, itself
        error = _api.supError()
        check(core().supActor_SetContact(self._use(), ctypes.byref(settings), ctypes.byref(error)), error)

    @property
    def asleep(self) -> bool:
        return core().supActor_IsAsleep(self._use())

    def save_state(self) -> bytes:
        """Everything that a later step depends on."""
        state = ctypes.create_string_buffer(core().supActor_StateSize(self._use()))
        core().supActor_SaveState(self._use(), state)
        return state.raw

    def restore_state(self, state: bytes):
        if len(state) != core().supActor_StateSize(self._use()):
            raise ValueError('this state belongs to another flesh')
        core().supActor_RestoreState(self._use(), state)


class Collider:
    """A rigid thing in a scene."""

    def __init__(self, scene, pointer):
        self.scene = scene
        self._pointer = pointer

    def _use(self):
        self.scene._use()
        return self._pointer

    def move(self, position, rotation=(1, 0, 0, 0)):
        """Where it is to be by the end of the next step; `rotation` is (w, x, y, z)."""
        if not core().supCollider_SetTransform(self._use(), _arrays.vec3(position), _arrays.quat(rotation)):
            raise ValueError('the place of a collider must be finite, with a rotation')

    def place(self, position, rotation=(1, 0, 0, 0)):
        """At once and without a motion."""
        if not core().supCollider_Place(self._use(), _arrays.vec3(position), _arrays.quat(rotation)):
            raise ValueError('the place of a collider must be finite, with a rotation')


class Scene(Handle):
    """Actors and colliders. The same input gives the same bits, whatever `threads` is (0: all processors)."""

    def __init__(self, substeps: int = 1, gravity=(0.0, -9.81, 0.0), threads: int = 0):
        definition = core().supDefaultSceneDef()
        if substeps < 1:
            raise ValueError('substeps: expected 1 or more (got %d)' % substeps)
        definition.substeps = substeps
        definition.gravity = _arrays.vec3(gravity)
        self._pool = pool(threads)
        definition.tasks = self._pool.tasks
        error = _api.supError()
        pointer = check(core().supCreateScene(ctypes.byref(definition), ctypes.byref(error)), error)
        self._fleshes: List[Flesh] = []
        self.actors: List[Actor] = []
        self._own(pointer, core().supDestroyScene, self._fleshes, self._pool)

    def close(self):
        for actor in self.actors:
            _refuse_views(actor)
        super().close()

    def add(self, flesh: Flesh) -> Actor:
        error = _api.supError()
        pointer = check(core().supScene_AddActor(self._use(), flesh._use(), ctypes.byref(error)), error)
        self._fleshes.append(flesh)
        actor = Actor(self, flesh, pointer)
        self.actors.append(actor)
        return actor

    def remove(self, actor: Actor):
        _refuse_views(actor)
        core().supScene_RemoveActor(self._use(), actor._use())
        actor._pointer = None
        self.actors.remove(actor)
        self._fleshes.remove(actor.flesh)

    def step(self, seconds: float):
        if not 0 <= seconds < float('inf'):
            raise ValueError('a step is 0 s or more (got %r)' % seconds)
        with self._pool.lock:
            core().supScene_Step(self._use(), seconds)

    def add_collider(self, kind: str = 'sphere', *, position=(0, 0, 0), rotation=(1, 0, 0, 0), radius: float = 1.0,
                     half_height: float = 1.0, half_extents=(1, 1, 1), vertices=(), triangles=(), moving: bool = False,
                     friction: float = 0.5, name: Optional[str] = None) -> Collider:
        """`kind` is plane (below y = 0), sphere, capsule (along y), box, hull or mesh. `moving`: it goes where move()
        says."""
        kinds = ('plane', 'sphere', 'capsule', 'box', 'hull', 'mesh')
        if kind not in kinds:
            raise ValueError('kind: expected one of %s (got %r)' % (', '.join(kinds), kind))
        definition = core().supDefaultColliderDef()
        definition.name = name.encode() if name else None
        shape = definition.shape
        shape.kind = kinds.index(kind)
        shape.radius, shape.halfHeight, shape.halfExtents = radius, half_height, _arrays.vec3(half_extents)
        points, shape.vertexCount = _arrays.numbers(vertices, ctypes.c_float, 3, 'vertices')
        indices, shape.triangleCount = _arrays.numbers(triangles, ctypes.c_uint32, 3, 'triangles')
        shape.vertices = _arrays.pointer(points, _api.supVec3)
        shape.indices = _arrays.pointer(indices, ctypes.c_uint32)
        definition.motion = _api.sup_colliderKinematic if moving else _api.sup_colliderStill
        definition.position, definition.rotation = _arrays.vec3(position), _arrays.quat(rotation)
        definition.friction = friction
        error = _api.supError()
        return Collider(self, check(core().supScene_AddCollider(self._use(), ctypes.byref(definition),
                                                                ctypes.byref(error)), error))

    @property
    def stats(self):
        """supSceneStats: steps, sleepers, milliseconds per phase, trouble."""
        return core().supScene_GetStats(self._use())


def choose_substeps(seconds: float) -> int:
    """Substeps for a step of so many seconds, as bakes take them."""
    return core().supChooseSubsteps(seconds)


def _refuse_views(actor):
    if actor._views.count:
        raise BufferError('positions of this actor are still in use: delete the views (and arrays made from them) first')
