# SPDX-License-Identifier: MIT
"""From Blender's objects to Supple's characters: meshes, weights, bones, shape keys, and the pose of a frame.

Supple's world is Blender's, turned so that +Y is up, in metres: p' = C p. A node's world matrix is C W C^-1 with W the
bone's matrix in Blender's world, a mesh at rest is C M v with M the object's matrix when it was picked up.
Objects are found by name, never kept: undo and file loads replace them behind our back."""
import array

import bpy
from mathutils import Matrix

from . import supple

Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
MODIFIER = 'Supple'
MAX_INFLUENCES = 8


class Problem(Exception):
    """Something that the user can put right: what, where and how."""


def armature_modifier(thing):
    """The Armature modifier that moves a mesh, or None."""
    found = [m for m in thing.modifiers if m.type == 'ARMATURE' and m.object is not None and m.show_viewport]
    if len(found) > 1:
        raise Problem('%s has %d Armature modifiers: Supple follows one; disable the others' % (thing.name, len(found)))
    return found[0] if found else None


def armature_of(thing):
    modifier = armature_modifier(thing)
    return modifier.object if modifier else None


def meshes_of(armature, scene):
    """Meshes of the scene that the armature moves."""
    return [o for o in scene.objects if o.type == 'MESH' and any(
        m.type == 'ARMATURE' and m.object == armature for m in o.modifiers)]


def check_object(thing):
    if thing.library is not None and thing.override_library is None:
        raise Problem('%s is linked from %s: make a library override first (Object > Library Override > Make)'
                      % (thing.name, thing.library.filepath))
    if thing.mode == 'EDIT':
        raise Problem('%s is in Edit Mode: leave it first (Tab)' % thing.name)


def check_evaluated(thing, depsgraph):
    if not thing.evaluated_get(depsgraph).is_evaluated:
        raise Problem('%s is not part of this view layer: enable it in viewports and include its collection (Outliner)'
                      % thing.name)


class Space:
    """The map between Blender's world and Supple's."""

    def __init__(self, scene):
        units = scene.unit_settings
        scale = units.scale_length if units.system != 'NONE' else 1.0
        self.matrix = Matrix.Scale(scale, 4) @ Y_UP
        self.inverse = self.matrix.inverted()

    def node(self, world):
        return self.matrix @ world @ self.inverse


def ordered_bones(armature):
    """Children before their parents, as glTF exporters write joints: the same order decides alike between equals."""
    found = []

    def visit(bone):
        for child in bone.children:
            visit(child)
        found.append(bone)
    for bone in armature.data.bones:
        if bone.parent is None:
            visit(bone)
    return found


def floats(matrix):
    """12 floats, columns first."""
    (a, b, c, d), (e, f, g, h), (i, j, k, l) = matrix[0], matrix[1], matrix[2]
    return (a, e, i, b, f, j, c, g, k, d, h, l)


def native(matrix):
    return supple._arrays.matrix(matrix)


class Part:
    """One mesh of a body."""

    def __init__(self, name):
        self.name = name
        self.key_names = []
        self.count = 0
        self.base_count = 0
        self.notes = []

    @property
    def thing(self):
        found = bpy.data.objects.get(self.name)
        if found is None:
            raise Problem('%s is gone or was renamed: enable Supple on it again' % self.name)
        return found

    def key_values(self, evaluated):
        keys = evaluated.data.shape_keys
        if not self.key_names:
            return ()
        blocks = keys.key_blocks if keys else {}
        return tuple(0.0 if name not in blocks or blocks[name].mute else blocks[name].value for name in self.key_names)


def _evaluated_before(thing, modifier, context):
    """The mesh as it enters the Armature modifier, as a new mesh datablock that the caller removes."""
    shown = [(m, m.show_viewport) for m in thing.modifiers]
    reached = False
    try:
        for m, _ in shown:
            reached = reached or m == modifier
            if reached:
                m.show_viewport = False
        depsgraph = context.evaluated_depsgraph_get()
        depsgraph.update()
        return bpy.data.meshes.new_from_object(thing.evaluated_get(depsgraph), preserve_all_data_layers=True,
                                               depsgraph=depsgraph)
    finally:
        for m, was in shown:
            m.show_viewport = was


def _read_weights(mesh, groups, joint_of, loose_joint):
    """Joints and weights of all vertices: influences, joints, weights, and whether some have no bone: these follow
    `loose_joint`."""
    rows, has_loose = [], False
    for vertex in mesh.vertices:
        row = [(g.weight, joint_of[groups[g.group]]) for g in vertex.groups
               if g.weight > 0.0 and g.group < len(groups) and groups[g.group] in joint_of]
        row.sort(reverse=True)
        has_loose = has_loose or not row
        rows.append(row or [(1.0, loose_joint)])
    influences = max(len(row) for row in rows)
    joints, weights = array.array('H'), array.array('f')
    for row in rows:
        row = row + [(0.0, row[0][1])] * (influences - len(row))
        weights.extend(weight for weight, _ in row)
        joints.extend(joint for _, joint in row)
    return influences, joints, weights, has_loose


def _read_vertices(points, matrix):
    co = array.array('f', bytes(12 * len(points)))
    points.foreach_get('co', co)
    data, count = supple._arrays.numbers(co, supple._arrays.ctypes.c_float, 3, 'vertices')
    pointer = supple._arrays.pointer(data, supple._api.supVec3)
    supple._library.core().supTransformPoints(native(matrix), pointer, count, pointer)
    return co


def _read_keys(thing, matrix, rest):
    """Shape keys as morph targets: (name, offsets). The first is the basis."""
    keys = thing.data.shape_keys
    if keys is None or len(keys.key_blocks) < 2:
        return []
    if not keys.use_relative:
        raise Problem('%s has absolute shape keys: Supple reads relative ones (Object Data > Shape Keys > Relative)'
                      % thing.name)
    blocks = {block.name: _read_vertices(block.data, matrix) for block in keys.key_blocks}
    targets = []
    for block in keys.key_blocks[1:]:
        base = blocks[block.relative_key.name]
        offsets = array.array('f', [a - b for a, b in zip(blocks[block.name], base)])
        if block.vertex_group:
            index = thing.vertex_groups.find(block.vertex_group)
            for i, vertex in enumerate(thing.data.vertices):
                weight = next((g.weight for g in vertex.groups if g.group == index), 0.0)
                for axis in range(3):
                    offsets[3 * i + axis] *= weight
        targets.append((block.name, offsets))
    return targets


def _read_softness(thing, mesh):
    """The painted group, or None: Supple guesses."""
    name = thing.supple.group
    if not name:
        return None
    index = thing.vertex_groups.find(name)
    if index < 0:
        raise Problem('%s has no vertex group "%s": it was renamed or removed; choose the group under Supple > Softness '
                      'Group, or clear the field for the automatic guess' % (thing.name, name))
    return array.array('f', [next((g.weight for g in v.groups if g.group == index), 0.0) for v in mesh.vertices])


def read_mesh(thing, space, joints, skin, binds, node, node_bind, context):
    """(Part, supple.Mesh) of an object. `joints`: bone name to joint; `node` moves vertices without a bone."""
    check_object(thing)
    modifier = armature_modifier(thing)
    index = list(thing.modifiers).index(modifier)
    before = [m for m in thing.modifiers[:index] if m.show_viewport and m.name != MODIFIER]
    part = Part(thing.name)
    part.base_count = len(thing.data.vertices)
    mesh = thing.data
    made = None
    if before:
        if thing.data.shape_keys is not None:
            raise Problem('%s has shape keys and modifiers before the Armature (%s): apply these, or move them behind it'
                          % (thing.name, ', '.join(m.name for m in before)))
        made = mesh = _evaluated_before(thing, modifier, context)
        part.notes.append('%s: modifiers before the Armature (%s) are taken as they are now'
                          % (thing.name, ', '.join(m.name for m in before)))
    try:
        mesh.calc_loop_triangles()
        if len(mesh.vertices) == 0 or len(mesh.loop_triangles) == 0:
            raise Problem('%s has no faces: flesh needs a surface' % thing.name)
        matrix = space.matrix @ thing.matrix_world
        source = thing.data.shape_keys.key_blocks[0].data if thing.data.shape_keys else mesh.vertices
        vertices = _read_vertices(source, matrix)
        triangles = array.array('i', bytes(12 * len(mesh.loop_triangles)))
        mesh.loop_triangles.foreach_get('vertices', triangles)
        triangles = array.array('I', triangles)
        if matrix.determinant() < 0.0:
            for i in range(0, len(triangles), 3):
                triangles[i + 1], triangles[i + 2] = triangles[i + 2], triangles[i + 1]
        groups = [group.name for group in thing.vertex_groups]
        influences, joint_array, weights, has_loose = _read_weights(mesh, groups, joints, len(skin))
        if influences > MAX_INFLUENCES:
            part.notes.append('%s: some vertices have %d bones, of which Supple takes the %d heaviest'
                              % (thing.name, influences, MAX_INFLUENCES))
        if modifier.use_deform_preserve_volume:
            part.notes.append('%s: Preserve Volume has no effect on flesh' % thing.name)
        targets = _read_keys(thing, matrix, vertices)
        part.key_names = [name for name, _ in targets]
        part.count = len(mesh.vertices)
        softness = _read_softness(thing, mesh)
    finally:
        if made is not None:
            bpy.data.meshes.remove(made)
    # the node of the mesh is a joint only where something hangs on it: flesh takes every joint for a bone
    if has_loose:
        skin, binds = skin + [node], binds + [node_bind]
    return part, supple.Mesh(thing.name, vertices, triangles, skin=skin, inverse_binds=binds,
                             joints=joint_array, weights=weights, influences=influences, softness=softness, targets=targets,
                             node=node)


class Body:
    """An armature with its meshes as one character."""

    def __init__(self, armature, things, scene, context):
        check_object(armature)
        for thing in [armature] + list(things):
            check_evaluated(thing, context.evaluated_depsgraph_get())
        self.name = armature.name
        self.space = Space(scene)
        world = armature.matrix_world
        if abs(world.determinant()) < 1e-12:
            raise Problem('%s is scaled to nothing' % armature.name)
        bones = ordered_bones(armature)
        self.bone_names = [bone.name for bone in bones]
        index = {name: i + 1 for i, name in enumerate(self.bone_names)}
        rests = {bone.name: self.space.node(world @ bone.matrix_local) for bone in bones}
        root = self.space.node(world)
        nodes = [supple.Node(armature.name, -1, root)]
        for bone in bones:
            parent = rests[bone.parent.name] if bone.parent else root
            nodes.append(supple.Node(bone.name, index[bone.parent.name] if bone.parent else 0,
                                     parent.inverted() @ rests[bone.name]))
        skin = [index[bone.name] for bone in bones if bone.use_deform]
        joints = {bone.name: i for i, bone in enumerate(b for b in bones if b.use_deform)}
        binds = [rests[bone.name].inverted() for bone in bones if bone.use_deform]
        self.parts, meshes, self.relative = [], [], []
        for thing in things:
            own = self.space.node(thing.matrix_world)
            nodes.append(supple.Node(thing.name, 0, root.inverted() @ own))
            part, mesh = read_mesh(thing, self.space, joints, skin, binds, len(nodes) - 1, own.inverted(), context)
            self.parts.append(part)
            meshes.append(mesh)
            self.relative.append(world.inverted() @ thing.matrix_world)
        self.nodes, self.meshes = nodes, meshes
        self.notes = [note for part in self.parts for note in part.notes]

    def create_character(self, times=(), poses=()):
        """The character, with the poses (world matrices of read_pose) at these times as a clip."""
        worlds = array.array('f')
        for pose in poses:
            worlds.extend(pose)
        motions = [supple.Motion('Scene', array.array('f', times), worlds)] if len(times) else []
        return supple.Character.from_arrays(self.nodes, self.meshes, name=self.name, motions=motions)

    @property
    def armature(self):
        found = bpy.data.objects.get(self.name)
        if found is None or found.type != 'ARMATURE':
            raise Problem('%s is gone or was renamed: enable Supple again' % self.name)
        return found

    def read_pose(self, depsgraph):
        """World matrices of all nodes and values of all shape keys, as evaluated: the pose of a frame."""
        armature = self.armature.evaluated_get(depsgraph)
        bones = armature.pose.bones
        if len(bones) != len(self.bone_names):
            raise Problem('%s has %d bones now, not %d: enable Supple again' % (self.name, len(bones), len(self.bone_names)))
        world = self.space.matrix @ armature.matrix_world
        inverse = self.space.inverse
        out = array.array('f', floats(world @ inverse))
        for name in self.bone_names:
            bone = bones.get(name)
            if bone is None:
                raise Problem('the bone %s of %s was renamed or removed: enable Supple again' % (name, self.name))
            out.extend(floats(world @ bone.matrix @ inverse))
        keys = []
        for part in self.parts:
            thing = part.thing.evaluated_get(depsgraph)
            out.extend(floats(self.space.matrix @ thing.matrix_world @ inverse))
            keys.append(part.key_values(thing))
        return out, keys

    def to_local(self, part, depsgraph):
        """Supple's world to the space of a mesh object, at this frame."""
        thing = part.thing.evaluated_get(depsgraph)
        return native((self.space.matrix @ thing.matrix_world).inverted())

    def check_meshes(self, depsgraph):
        """Raises where a mesh or its place below the armature changed since it was picked up."""
        armature = self.armature.evaluated_get(depsgraph).matrix_world.inverted()
        for part, relative in zip(self.parts, self.relative):
            thing = part.thing
            if len(thing.data.vertices) != part.base_count:
                raise Problem('%s has %d vertices now, not %d: enable Supple again'
                              % (part.name, len(thing.data.vertices), part.base_count))
            now = armature @ thing.evaluated_get(depsgraph).matrix_world
            size = max(abs(number) for row in relative for number in row)
            if max(abs(a - b) for r, s in zip(now, relative) for a, b in zip(r, s)) > 1e-4 * size:
                raise Problem('%s moves against its armature: parent it to %s and keep it still' % (part.name, self.name))
