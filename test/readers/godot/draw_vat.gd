# Draws vat.vat.glb with the shader vat.gdshader at several frames, and meshes made of the caches hero.MESH.pc2 beside
# it, and compares the pictures (read.sh). Needs a display and GLES3.
extends SceneTree

const FRAMES = [0, 9, 17, 33]
const LEAST_STEP = 8.0 / 255.0

var vat
var width
var caches = []
var normals = Image.new()


func find(node, kind, found):
	if node.is_class(kind):
		found.append(node)
	for child in node.get_children():
		find(child, kind, found)
	return found


func texture(path):
	var image = Image.new()
	image.load(path)
	var result = ImageTexture.new()
	result.create_from_image(image, 0)
	return result


func shader_material():
	var file = File.new()
	file.open("res://vat.gdshader", File.READ)
	var shader = Shader.new()
	shader.code = file.get_as_text()
	var material = ShaderMaterial.new()
	material.shader = shader
	material.set_shader_param("positions", texture("res://vat.exr"))
	material.set_shader_param("normals", texture("res://vat.normals.exr"))
	material.set_shader_param("low", Vector3(vat["min"][0], vat["min"][1], vat["min"][2]))
	material.set_shader_param("high", Vector3(vat["max"][0], vat["max"][1], vat["max"][2]))
	material.set_shader_param("rows_per_frame", int(vat["rows_per_frame"]))
	return material


# The mesh of one frame: positions of the cache, normals of the texture.
func cached_mesh(cache, first, arrays, frame):
	cache.seek(16)
	var count = cache.get_32()
	var places = PoolVector3Array()
	var directions = PoolVector3Array()
	cache.seek(32 + 12 * count * frame)
	for vertex in range(count):
		places.append(Vector3(cache.get_float(), cache.get_float(), cache.get_float()))
		var i = first + vertex
		var texel = normals.get_pixel(i % width, int(frame * vat["rows_per_frame"]) + i / width)
		directions.append(Vector3(2 * texel.r - 1, 2 * texel.g - 1, 2 * texel.b - 1).normalized())
	var made = []
	made.resize(ArrayMesh.ARRAY_MAX)
	made[ArrayMesh.ARRAY_VERTEX] = places
	made[ArrayMesh.ARRAY_NORMAL] = directions
	made[ArrayMesh.ARRAY_INDEX] = arrays[ArrayMesh.ARRAY_INDEX]
	var mesh = ArrayMesh.new()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, made, [], 0)
	return mesh


func add_stage():
	var low = Vector3(vat["min"][0], vat["min"][1], vat["min"][2])
	var high = Vector3(vat["max"][0], vat["max"][1], vat["max"][2])
	var reach = (high - low).length()
	var camera = Camera.new()
	camera.near = 0.01 * reach
	camera.far = 10 * reach
	get_root().add_child(camera)
	camera.look_at_from_position((low + high) / 2 + 1.2 * reach * Vector3(0.4, 0.3, 1).normalized(), (low + high) / 2, Vector3.UP)
	var sun = DirectionalLight.new()
	sun.rotation_degrees = Vector3(-35, 30, 0)
	get_root().add_child(sun)


func draw():
	for _i in range(3):
		yield(self, "idle_frame")
	return get_root().get_texture().get_data()


# Pixels that differ, and those that are not background.
func count_pixels(a, b):
	a.lock()
	b.lock()
	var ground = a.get_pixel(0, 0)
	var result = [0, 0]
	for y in range(a.get_height()):
		for x in range(a.get_width()):
			var p = a.get_pixel(x, y)
			var q = b.get_pixel(x, y)
			result[0] += 1 if max(abs(p.r - q.r), max(abs(p.g - q.g), abs(p.b - q.b))) > LEAST_STEP else 0
			result[1] += 1 if p != ground else 0
	return result


func run():
	var file = File.new()
	file.open("res://vat.vat.json", File.READ)
	vat = JSON.parse(file.get_as_text()).result
	width = int(vat["width"])
	normals.load("res://vat.normals.exr")
	normals.lock()
	yield(self, "idle_frame")
	add_stage()
	var scene = load("res://vat.vat.glb").instance()
	get_root().add_child(scene)
	var material = shader_material()
	# the same light, without the textures
	var plain = ShaderMaterial.new()
	plain.shader = Shader.new()
	plain.shader.code = "shader_type spatial;"
	var originals = []
	var instances = find(scene, "MeshInstance", [])
	var first = 0
	for instance in instances:
		var cache = File.new()
		cache.open("res://hero." + instance.name + ".pc2", File.READ)
		caches.append([cache, first, instance.mesh.surface_get_arrays(0)])
		cache.seek(16)
		first += cache.get_32()
		originals.append(instance.mesh)
	var worst = 0.0
	var before
	var moved = 0
	for frame in FRAMES:
		material.set_shader_param("fps", 0.0)
		material.set_shader_param("first_row", int(frame * vat["rows_per_frame"]))
		for i in range(instances.size()):
			instances[i].mesh = originals[i]
			instances[i].material_override = material
		var by_shader = yield(draw(), "completed")
		for i in range(instances.size()):
			instances[i].mesh = cached_mesh(caches[i][0], caches[i][1], caches[i][2], frame)
			instances[i].material_override = plain
		var by_cache = yield(draw(), "completed")
		var counts = count_pixels(by_cache, by_shader)
		print("drawn: frame ", frame, ": ", counts[0], " of ", counts[1], " pixels differ")
		worst = max(worst, float(counts[0]) / max(counts[1], 1))
		if before != null:
			moved = max(moved, count_pixels(before, by_shader)[0])
		before = by_shader
	# in motion: frames pass by themselves
	for i in range(instances.size()):
		instances[i].mesh = originals[i]
		instances[i].material_override = material
	material.set_shader_param("fps", vat["fps"])
	material.set_shader_param("first_row", 0)
	material.set_shader_param("frames", int(vat["frames"]))
	var a = yield(draw(), "completed")
	OS.delay_msec(300)
	var b = yield(draw(), "completed")
	var plays = count_pixels(a, b)
	print("drawn: ", moved, " pixels change between frames, ", plays[0], " while it plays")
	print("drawn: ", "right" if worst <= 0.01 and moved > 100 and plays[0] > 100 and plays[1] > 1000 else "wrong")
	quit()


func _init():
	run()
