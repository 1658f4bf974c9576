# Holds what the animation of hero.glb does to its meshes to the caches hero.MESH.pc2 (read.sh).
extends SceneTree

const FPS = 30.0
const TOLERANCE = 1e-4  # metres: --tolerance of the bake


func find(node, kind, found):
	if node.is_class(kind):
		found.append(node)
	for child in node.get_children():
		find(child, kind, found)
	return found


func value_at(clip, track, time):
	var key = max(clip.track_find_key(track, time), 0)
	var value = clip.track_get_key_value(track, key)
	if key + 1 >= clip.track_get_key_count(track):
		return value
	var from = clip.track_get_key_time(track, key)
	var to = clip.track_get_key_time(track, key + 1)
	return lerp(value, clip.track_get_key_value(track, key + 1), clamp((time - from) / (to - from), 0, 1))


# Worst distance in metres between cache and shapes, over every frame and some of the vertices; how far they move.
func compare(scene, clip, instance, cache):
	var mesh = instance.mesh
	var base = mesh.surface_get_arrays(0)[ArrayMesh.ARRAY_VERTEX]
	var shapes = mesh.surface_get_blend_shape_arrays(0)
	cache.seek(16)
	var count = cache.get_32()
	cache.seek(28)
	var frames = cache.get_32()
	if count != base.size() or mesh.blend_shape_mode != Mesh.BLEND_SHAPE_MODE_NORMALIZED:
		return [INF, 0.0]
	var worst = 0.0
	var moved = 0.0
	for frame in range(frames):
		var weights = []
		for shape in range(shapes.size()):
			var path = str(scene.get_path_to(instance)) + ":blend_shapes/" + mesh.get_blend_shape_name(shape)
			weights.append(value_at(clip, clip.find_track(path), frame / FPS))
		# two targets at most have a weight
		var shown = []
		for shape in range(shapes.size()):
			if weights[shape] != 0:
				shown.append([weights[shape], shapes[shape][ArrayMesh.ARRAY_VERTEX]])
		for vertex in range(0, count, 97):
			cache.seek(32 + 12 * (count * frame + vertex))
			var wanted = Vector3(cache.get_float(), cache.get_float(), cache.get_float())
			var place = base[vertex]
			for shape in shown:
				place += shape[0] * (shape[1][vertex] - base[vertex])
			worst = max(worst, wanted.distance_to(instance.global_transform.xform(place)))
			moved = max(moved, wanted.distance_to(instance.global_transform.xform(base[vertex])))
	return [worst, moved]


func _init():
	var scene = load("res://hero.glb").instance()
	get_root().add_child(scene)
	var clip = find(scene, "AnimationPlayer", [])[0].get_animation("Walk")
	var right = 0
	for instance in find(scene, "MeshInstance", []):
		var cache = File.new()
		if cache.open("res://hero." + instance.name + ".pc2", File.READ) == OK:
			var found = compare(scene, clip, instance, cache)
			print(instance.name, ": moves by up to ", found[1], " m, off by ", found[0], " m")
			right += 1 if found[0] < TOLERANCE and found[1] > 0.01 else 0
	print("hero: right" if right == 2 else "hero: wrong")
	quit()
