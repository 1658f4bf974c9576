# SPDX-License-Identifier: MIT
# blender -b --factory-startup --python pictures.py -- OUT.png [LABEL FILE.glb]...
# Characters one below the other, as clay, with their triangles drawn and a label to the left.
import math
import sys

import bpy
import numpy as np
from mathutils import Vector

np.bool = bool  # the importer of Blender 3.4 uses a name that NumPy has dropped

COLORS = [(0.62, 0.62, 0.64), (0.86, 0.42, 0.30), (0.30, 0.60, 0.85)]
INK = (0.12, 0.12, 0.14)


def clay(color):
    material = bpy.data.materials.new('clay')
    material.diffuse_color = (*color, 1)
    material.roughness = 0.5
    return material


def load(path, color):
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=path)
    things = [thing for thing in bpy.data.objects if thing not in before and thing.type == 'MESH']
    for thing in things:
        thing.data.materials.clear()
        thing.data.materials.append(clay(color))
        thing.data.materials.append(clay(INK))
        edges = thing.modifiers.new('edges', 'WIREFRAME')
        edges.thickness = 0.003 * max(thing.dimensions)
        edges.use_replace = False
        edges.use_even_offset = False  # grows without bound where triangles have collapsed
        edges.material_offset = 1
    return things


def write(text, position, size):
    letters = bpy.data.curves.new('label', 'FONT')
    letters.body = text
    letters.size = size
    letters.align_x = 'RIGHT'
    letters.align_y = 'CENTER'
    letters.materials.append(clay(INK))
    thing = bpy.data.objects.new('label', letters)
    thing.location = position
    thing.rotation_euler = (math.pi / 2, 0, 0)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def bounds(things):
    corners = [thing.matrix_world @ Vector(corner) for thing in things for corner in thing.bound_box]
    lower = Vector([min(c[i] for c in corners) for i in range(3)])
    upper = Vector([max(c[i] for c in corners) for i in range(3)])
    return lower, upper


def main():
    out, *pairs = sys.argv[sys.argv.index('--') + 1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    everything = []
    floor = 0.0
    for index, (label, path) in enumerate(zip(pairs[::2], pairs[1::2])):
        things = load(path, COLORS[index % len(COLORS)])
        bpy.context.view_layer.update()
        lower, upper = bounds(things)
        height = upper.z - lower.z
        for thing in things:
            if thing.parent is None:
                thing.location += Vector((0, 0, floor - upper.z))
        size = upper.x - lower.x
        things.append(write(label, (lower.x - 0.05 * size, lower.y, floor - height / 2), 0.055 * size))
        floor -= 1.5 * height
        everything += things
    bpy.context.view_layer.update()
    lower, upper = bounds(everything)
    center = (lower + upper) / 2

    # along +y, so that nothing is shortened
    camera = bpy.data.objects.new('camera', bpy.data.cameras.new('camera'))
    camera.data.type = 'ORTHO'
    camera.data.ortho_scale = 1.06 * (upper.x - lower.x)
    camera.location = center + Vector((0, -10 * (upper.x - lower.x), 0))
    camera.data.clip_end = 100 * (upper.x - lower.x)
    camera.rotation_euler = (math.pi / 2, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    aspect = (upper.z - lower.z + 0.06 * (upper.x - lower.x)) / (1.06 * (upper.x - lower.x))

    scene.render.engine = 'BLENDER_WORKBENCH'
    scene.display.render_aa = '32'
    scene.display.shading.light = 'STUDIO'
    scene.display.shading.color_type = 'MATERIAL'
    scene.display.shading.show_cavity = True
    scene.display.shading.cavity_type = 'BOTH'
    scene.world = bpy.data.worlds.new('white')
    scene.world.color = (1, 1, 1)
    scene.view_settings.view_transform = 'Standard'
    scene.render.dither_intensity = 0
    scene.render.resolution_x = 1000
    scene.render.resolution_y = round(1000 * aspect)
    scene.render.image_settings.file_format = 'PNG'
    scene.render.image_settings.color_mode = 'RGB'
    scene.render.image_settings.compression = 100
    scene.render.filepath = out
    bpy.ops.render.render(write_still=True)


main()
