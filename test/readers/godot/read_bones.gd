# Holds what the animation of skinned.glb does to its meshes to the caches skinned.MESH.pc2, which Supple makes of the same
# file by plain skinning (read.sh).
extends SceneTree

const FPS = 30.0
const TOLERANCE = 1e-4  # metres


func find(node, kind, found):
	if node.is_class(kind):
		found.append(node)
	for child in node.get_children():
		find(child, kind, found)
	return found


# Worst distance in metres between cache and skinned vertices, over some frames and vertices; how far they move.
func compare(player, instance, cache):
	var skeleton = instance.get_node(instance.skeleton)
	var skin = instance.skin
	var arrays = instance.mesh.surface_get_arrays(0)
	var base = arrays[ArrayMesh.ARRAY_VERTEX]
	var bones = arrays[ArrayMesh.ARRAY_BONES]
	var weights = arrays[ArrayMesh.ARRAY_WEIGHTS]
	cache.seek(16)
	var count = cache.get_32()
	cache.seek(28)
	var frames = cache.get_32()
	if count != base.size():
		return [INF, 0.0]
	var worst = 0.0
	var moved = 0.0
	for frame in range(frames):
		player.seek(frame / FPS, true)
		var palette = []
		for bind in range(skin.get_bind_count()):
			var name = skin.get_bind_name(bind)
			var bone = skeleton.find_bone(name) if name != "" else skin.get_bind_bone(bind)
			palette.append(skeleton.global_transform * skeleton.get_bone_global_pose(bone) * skin.get_bind_pose(bind))
		for vertex in range(0, count, 97):
			cache.seek(32 + 12 * (count * frame + vertex))
			var wanted = Vector3(cache.get_float(), cache.get_float(), cache.get_float())
			var place = Vector3()
			for k in range(4):
				place += weights[4 * vertex + k] * palette[bones[4 * vertex + k]].xform(base[vertex])
			worst = max(worst, wanted.distance_to(place))
			moved = max(moved, wanted.distance_to(base[vertex]))
	return [worst, moved]


func _init():
	var scene = load("res://skinned.glb").instance()
	get_root().add_child(scene)
	var player = find(scene, "AnimationPlayer", [])[0]
	player.play("Walk")
	var right = 0
	for instance in find(scene, "MeshInstance", []):
		var cache = File.new()
		if cache.open("res://skinned." + instance.name + ".pc2", File.READ) == OK:
			var found = compare(player, instance, cache)
			print(instance.name, ": moves by up to ", found[1], " m, off by ", found[0], " m")
			right += 1 if found[0] < TOLERANCE and found[1] > 0.01 else 0
	print("skinned: right" if right == 2 else "skinned: wrong")
	quit()
