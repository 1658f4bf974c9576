# Holds the texels of vat.exr, which Godot decodes itself, to the cache hero.bunny.pc2 (read.sh).
extends SceneTree


func _init():
	var file = File.new()
	file.open("res://vat.vat.json", File.READ)
	var vat = JSON.parse(file.get_as_text()).result
	file.close()
	var image = Image.new()
	var failed = image.load("res://vat.exr")
	var cache = File.new()
	cache.open("res://hero.bunny.pc2", File.READ)
	cache.seek(16)
	var count = cache.get_32()
	var low = Vector3(vat["min"][0], vat["min"][1], vat["min"][2])
	var high = Vector3(vat["max"][0], vat["max"][1], vat["max"][2])
	var worst = 0.0 if failed == OK else INF
	image.lock()
	for frame in range(vat["frames"] if failed == OK else 0):
		for vertex in range(0, count, 97):
			var row = int(frame * vat["rows_per_frame"]) + int(vertex / int(vat["width"]))
			var texel = image.get_pixel(vertex % int(vat["width"]), row)
			var place = low + Vector3(texel.r, texel.g, texel.b) * (high - low)
			cache.seek(32 + 12 * (count * frame + vertex))
			worst = max(worst, place.distance_to(Vector3(cache.get_float(), cache.get_float(), cache.get_float())))
	print("vat: off by ", worst, " m")
	# Godot 3 keeps EXR as half floats, cut off after 11 bits: less than 1/2048 of the box along each axis
	print("vat: ", "right" if worst <= (high - low).length() / 2048 else "wrong")
	quit()
