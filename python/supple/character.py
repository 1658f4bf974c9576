# SPDX-License-Identifier: MIT
"""Characters, from files or from arrays, and poses of them."""
import ctypes
from dataclasses import dataclass, field
from typing import Any, List, Optional, Sequence, Tuple

from . import _api, _arrays
from ._library import Handle, SuppleError, check, core, io, path_bytes, text

IDENTITY = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@dataclass
class Node:
    """A joint or another node: its transform below the parent at rest, as a matrix of rows."""
    name: str
    parent: int = -1
    matrix: Any = IDENTITY


@dataclass
class Mesh:
    """A mesh that joints move, as arrays: buffers (NumPy, array.array) or nested sequences.

    `joints` and `weights` have `influences` numbers per vertex; joints count within `skin`, the nodes that move it.
    `inverse_binds` maps mesh space to the space of each of these nodes at bind time."""
    name: str
    vertices: Any
    triangles: Any
    skin: Sequence[int] = ()
    inverse_binds: Any = ()
    joints: Any = ()
    weights: Any = ()
    influences: int = 4
    softness: Any = None
    #: morph targets: (name, offsets of the vertices)
    targets: Sequence[Tuple[str, Any]] = field(default_factory=list)
    #: the node that carries it, which matters where `skin` is empty; -1: a node of its own
    node: int = -1


@dataclass
class Motion:
    """Animation to create a character with, as world matrices of all nodes: flesh is built with the motions in view."""
    name: str
    #: seconds, strictly rising
    times: Sequence[float]
    #: (times, nodes, 12) floats, columns first; between the times, nodes turn and move evenly
    worlds: Any


@dataclass(frozen=True)
class Clip:
    """An animation of a character."""
    name: str
    start: float
    end: float
    _pointer: Any = field(repr=False, compare=False)
    _owner: Any = field(repr=False, compare=False)


class _Builder:
    """Keeps all arrays alive until the library has copied them."""

    def __init__(self, name, nodes, meshes, motions=(), joints=None):
        self.keep: List[Any] = []
        self.nodes = list(nodes)
        self.meshes = list(meshes)
        self.motions = list(motions)
        self.joints = self.find_joints() if joints is None else joints
        self.definition = core().supDefaultCharacterDef()
        self.definition.name = self.string(name)

    def find_joints(self):
        """All nodes that move a mesh, and those above them."""
        found = set()
        for mesh in self.meshes:
            for node in mesh.skin:
                while 0 <= node < len(self.nodes) and node not in found:
                    found.add(node)
                    node = self.nodes[node].parent
        return found

    def string(self, value):
        data = value.encode()
        self.keep.append(data)
        return data

    def floats(self, values, width, name, count=None):
        data, items = _arrays.numbers(values, ctypes.c_float, width, name, count)
        self.keep.append(data)
        return data, items

    def add_nodes(self):
        nodes = (_api.supNode * (len(self.nodes) or 1))()
        for index, node in enumerate(self.nodes):
            nodes[index].name = self.string(node.name)
            nodes[index].parent = node.parent
            rest = _arrays.matrix(node.matrix)
            is_sheared = not core().supDecompose(rest, ctypes.byref(nodes[index].rest))
            # a node with a matrix stands still: joints have the nearest transform instead
            nodes[index].hasMatrix = is_sheared and index not in self.joints
            nodes[index].matrix = rest
        self.keep.append(nodes)
        self.definition.nodeCount = len(self.nodes)
        self.definition.nodes = nodes

    def add_skin(self, skin, mesh):
        count = len(mesh.skin)
        binds, _ = _arrays.matrices(mesh.inverse_binds, mesh.name + '.inverse_binds', count)
        joints = (ctypes.c_int32 * count)(*mesh.skin)
        self.keep += [binds, joints]
        skin.name = self.string(mesh.name)
        skin.jointCount = count
        skin.joints = joints
        skin.inverseBinds = _arrays.pointer(binds, _api.supMat34)

    def add_mesh(self, out, mesh):
        vertices, count = self.floats(mesh.vertices, 3, mesh.name + '.vertices')
        indices, triangles = _arrays.numbers(mesh.triangles, ctypes.c_uint32, 3, mesh.name + '.triangles')
        self.keep.append(indices)
        out.name = self.string(mesh.name)
        out.vertexCount = count
        out.positions = _arrays.pointer(vertices, _api.supVec3)
        out.indexCount = 3 * triangles
        out.indices = _arrays.pointer(indices, ctypes.c_uint32)
        if len(mesh.skin):
            joints, _ = _arrays.numbers(mesh.joints, ctypes.c_uint16, mesh.influences, mesh.name + '.joints', count)
            weights, _ = self.floats(mesh.weights, mesh.influences, mesh.name + '.weights', count)
            self.keep.append(joints)
            out.influences = mesh.influences
            out.joints = _arrays.pointer(joints, ctypes.c_uint16)
            out.weights = _arrays.pointer(weights, ctypes.c_float)
        if mesh.softness is not None:
            softness, _ = self.floats(mesh.softness, 1, mesh.name + '.softness', count)
            out.softness = _arrays.pointer(softness, ctypes.c_float)
        targets = (_api.supMorphTarget * (len(mesh.targets) or 1))()
        for target, (name, offsets) in zip(targets, mesh.targets):
            data, _ = self.floats(offsets, 3, '%s.targets[%s]' % (mesh.name, name), count)
            target.name = self.string(name)
            target.positions = _arrays.pointer(data, _api.supVec3)
        self.keep.append(targets)
        out.targetCount = len(mesh.targets)
        out.targets = targets

    def add_channels(self, clip, motion, pose):
        """The motion as translation, rotation and scale of each node, below its parent."""
        count, keys = len(self.nodes), len(motion.times)
        times, _ = self.floats(motion.times, 1, motion.name + '.times')
        worlds, _ = self.floats(motion.worlds, 12, motion.name + '.worlds', keys * count)
        widths = (3, 4, 3)
        values = [[(ctypes.c_float * (width * keys))() for width in widths] for _ in range(count)]
        matrices = _arrays.pointer(worlds, _api.supMat34)
        for key in range(keys):
            core().supPose_SetWorlds(pose, ctypes.byref(matrices[key * count]))
            for node, arrays in enumerate(values):
                local = core().supPose_GetLocal(pose, node)
                for part, array, width in zip((local.translation, local.rotation, local.scale), arrays, widths):
                    ctypes.memmove(ctypes.byref(array, 4 * width * key), ctypes.byref(part), 4 * width)
        channels = (_api.supChannel * (3 * count))()
        paths = (_api.sup_channelTranslation, _api.sup_channelRotation, _api.sup_channelScale)
        for index, channel in enumerate(channels):
            node, part = divmod(index, 3)
            channel.node, channel.path, channel.interpolation = node, paths[part], _api.sup_interpolationLinear
            channel.keyCount, channel.width = keys, widths[part]
            channel.times = _arrays.pointer(times, ctypes.c_float)
            channel.values = _arrays.pointer(values[node][part], ctypes.c_float)
        self.keep += [values, channels]
        clip.name, clip.channelCount, clip.channels = self.string(motion.name), len(channels), channels

    def add_motions(self):
        """A skeleton alone turns world matrices into local ones."""
        clips = (_api.supClip * len(self.motions))()
        skeleton = _Builder('', self.nodes, (), joints=self.joints).build()
        pose = core().supCreatePose(skeleton)
        try:
            if not pose:
                raise MemoryError('no memory for a pose')
            for clip, motion in zip(clips, self.motions):
                self.add_channels(clip, motion, pose)
        finally:
            core().supDestroyPose(pose)
            core().supDestroyCharacter(skeleton)
        self.keep.append(clips)
        self.definition.clipCount, self.definition.clips = len(clips), clips

    def build(self):
        count = len(self.meshes)
        meshes, skins = (_api.supMesh * (count or 1))(), (_api.supSkin * (count or 1))()
        instances = (_api.supInstance * (count or 1))()
        skin_count = 0
        for index, mesh in enumerate(self.meshes):
            self.add_mesh(meshes[index], mesh)
            instances[index].mesh = index
            instances[index].skin = -1
            if len(mesh.skin):
                self.add_skin(skins[skin_count], mesh)
                instances[index].skin = skin_count
                skin_count += 1
            instances[index].node = mesh.node
            if mesh.node < 0:
                instances[index].node = len(self.nodes)
                self.nodes.append(Node(mesh.name))
        self.add_nodes()
        if self.motions:
            self.add_motions()
        definition = self.definition
        definition.meshCount = definition.instanceCount = count
        definition.meshes, definition.instances = meshes, instances
        definition.skinCount, definition.skins = skin_count, skins
        error = _api.supError()
        return check(core().supCreateCharacter(ctypes.byref(definition), ctypes.byref(error)), error)


class Character(Handle):
    """A character as it was authored: nodes, meshes, clips. Never changes. Right-handed, +Y up, metres."""

    def __init__(self, pointer):
        self._own(pointer, core().supDestroyCharacter)
        self._clips: Optional[Tuple[Clip, ...]] = None

    @classmethod
    def load(cls, path):
        """Reads .glb, .gltf, .bvh, .fbx and whatever else `supple` reads."""
        error = _api.supError()
        return cls(check(io().supLoadCharacter(path_bytes(path), ctypes.byref(error)), error))

    @classmethod
    def from_arrays(cls, nodes: Sequence[Node], meshes: Sequence[Mesh], name: str = '', motions: Sequence[Motion] = ()):
        """Copies all arrays. Each mesh becomes an instance and each motion a clip, in this order."""
        return cls(_Builder(name, nodes, meshes, motions).build())

    @property
    def name(self) -> str:
        return text(core().supCharacter_Name(self._use()))

    @property
    def node_names(self) -> Tuple[str, ...]:
        count = core().supCharacter_NodeCount(self._use())
        return tuple(text(core().supCharacter_Node(self._use(), i).contents.name) for i in range(count))

    @property
    def node_parents(self) -> Tuple[int, ...]:
        count = core().supCharacter_NodeCount(self._use())
        return tuple(core().supCharacter_Node(self._use(), i).contents.parent for i in range(count))

    @property
    def instance_count(self) -> int:
        return core().supCharacter_InstanceCount(self._use())

    def _mesh(self, instance):
        if not 0 <= instance < self.instance_count:
            raise IndexError('instance %d: the character has %d' % (instance, self.instance_count))
        index = core().supCharacter_Instance(self._use(), instance).contents.mesh
        return core().supCharacter_Mesh(self._use(), index).contents

    def vertex_count(self, instance: int = 0) -> int:
        return self._mesh(instance).vertexCount

    def vertices(self, instance: int = 0) -> memoryview:
        """Of the mesh, without a copy: (vertices, 3), read only by convention."""
        mesh = self._mesh(instance)
        return _arrays.Views(self).show(mesh.positions, mesh.vertexCount, 3)

    def triangles(self, instance: int = 0) -> memoryview:
        mesh = self._mesh(instance)
        size = mesh.indexCount
        data = (ctypes.c_uint32 * size).from_buffer_copy(ctypes.string_at(mesh.indices, 4 * size))
        return memoryview(data).cast('B').cast('I', (size // 3, 3))

    @property
    def notes(self) -> Tuple[str, ...]:
        """What was odd about the input and what was done about it."""
        count = core().supCharacter_NoteCount(self._use())
        return tuple(text(core().supCharacter_Note(self._use(), i).contents.text) for i in range(count))

    @property
    def clips(self) -> Tuple[Clip, ...]:
        if self._clips is None:
            found = []
            for i in range(core().supCharacter_ClipCount(self._use())):
                pointer = core().supCharacter_Clip(self._use(), i)
                clip = pointer.contents
                found.append(Clip(text(clip.name), clip.start, clip.end, pointer, None))
            self._clips = tuple(found)
        return self._clips

    def clip(self, name: str) -> Clip:
        pointer = core().supCharacter_FindClip(self._use(), name.encode())
        if not pointer:
            names = ', '.join(clip.name for clip in self.clips) or 'none'
            raise SuppleError('no clip "%s"; clips: %s' % (name, names), self.name, _api.sup_errorNotFound)
        clip = pointer.contents
        return Clip(text(clip.name), clip.start, clip.end, pointer, self)

    def softness(self) -> List[memoryview]:
        """How soft the skin is at each vertex of each instance, 0 to 1: painted, or guessed from anatomy."""
        counts = [self.vertex_count(i) for i in range(self.instance_count)]
        values = [(ctypes.c_float * count)() for count in counts]
        places = (ctypes.POINTER(ctypes.c_float) * (len(counts) or 1))(*[
            ctypes.cast(value, ctypes.POINTER(ctypes.c_float)) for value in values])
        error = _api.supError()
        check(core().supComputeSoftness(self._use(), None, 0, None, places, ctypes.byref(error)), error)
        return [memoryview(value).cast('B').cast('f') for value in values]


class Pose:
    """The pose of an actor, to be reached by the end of the next step."""

    def __init__(self, actor, pointer, character):
        self._actor = actor
        self._pointer = pointer
        self._character = character
        self._count = core().supCharacter_NodeCount(character._use())

    def _use(self):
        self._actor._use()
        return self._pointer

    def rest(self):
        core().supPose_SetRest(self._use())

    def apply(self, clip: Clip, time: float):
        """Sets what the clip has at `time`, in seconds."""
        core().supPose_ApplyClip(self._use(), clip._pointer, time)

    def set_worlds(self, matrices) -> int:
        """Sets all nodes from world matrices: a buffer of 12 floats each (columns), or a sequence of matrices of rows.
        Returns how many nodes cannot have theirs (shear)."""
        data, _ = _arrays.matrices(matrices, 'worlds', self._count)
        return core().supPose_SetWorlds(self._use(), _arrays.pointer(data, _api.supMat34))

    def worlds(self) -> memoryview:
        """World matrices of all nodes: (nodes, 12) floats, columns. Changes with the pose."""
        return self._actor._views.show(core().supPose_Worlds(self._use()), self._count, 12)

    def set_local(self, node: int, translation=(0, 0, 0), rotation=(1, 0, 0, 0), scale=(1, 1, 1)):
        """`rotation` is (w, x, y, z)."""
        if not 0 <= node < self._count:
            raise IndexError('node %d: the character has %d' % (node, self._count))
        local = _api.supTransform(_arrays.vec3(translation), _arrays.quat(rotation), _arrays.vec3(scale))
        core().supPose_SetLocal(self._use(), node, local)

    def set_morphs(self, weights, instance: int = 0):
        count = self._character._mesh(instance).targetCount
        if len(weights) != count:
            raise ValueError('expected %d morph weights (got %d)' % (count, len(weights)))
        out = core().supPose_MorphWeights(self._use(), instance)
        for i, weight in enumerate(weights):
            out[i] = weight
