#!/usr/bin/env bash
# supple bake: formats, several clips and meshes, settings, report, stopping and going on.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# 61 frames of 292 vertices
run 0 bake builtin:tube --clip twist -o "$folder/a.pc2" --report "$folder/a.json" --json
json frames=61 complete=true method=position files=1 clips=1
[ "$(stat -c %s "$folder/a.pc2")" -eq $((32 + 61 * 292 * 12)) ] || fail "size of the .pc2"
"$JSON_CHECK" method=position frames=61 clips.0.name=twist clips.0.per_frame.#=61 trouble.inverted=0 fps=30 < "$folder/a.json" ||
	fail "report"
for key in volume_error_max stretch_max penetration_max unresolved_max step_ms_median; do
	grep -q "\"$key\": [0-9]" "$folder/a.json" || fail "no $key in the report"
done
# nothing to be made soft: told, and skinned; an error where the method was asked for
{ head -c 48 /dev/zero; for i in 1 2 3; do printf '\000\000\200\077'; head -c 12 /dev/zero; done; } > "$folder/dot.bin"
cat > "$folder/dot.gltf" << 'END'
{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [ { "nodes": [ 0, 1 ] } ],
"nodes": [ { "mesh": 0, "skin": 0 }, { "name": "bone" } ], "skins": [ { "joints": [ 1 ] } ],
"meshes": [ { "primitives": [ { "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } } ] } ],
"buffers": [ { "byteLength": 96, "uri": "dot.bin" } ], "bufferViews": [ { "buffer": 0, "byteLength": 36 },
{ "buffer": 0, "byteOffset": 36, "byteLength": 12 }, { "buffer": 0, "byteOffset": 48, "byteLength": 48 } ],
"accessors": [ { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [ 0, 0, 0 ], "max": [ 0, 0, 0 ] },
{ "bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4" }, { "bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4" } ] }
END
run 0 bake "$folder/dot.gltf" --rest -o "$folder/dot.pc2" --json
json method=dqs frames=1
err "cannot build flesh" "plain skinning"
run 1 bake "$folder/dot.gltf" --rest --method position -o "$folder/dot.pc2"
err "all vertices are at one point"
run 0 bake builtin:tube --clip twist --method lbs -o "$folder/b.pc2" --threads 1 --json
cmp -s "$folder/a.pc2" "$folder/b.pc2" && fail "both methods give the same"
run 0 bake builtin:tube --clip twist --method lbs -o "$folder/c.pc2" --threads 3
cmp -s "$folder/b.pc2" "$folder/c.pc2" || fail "the result depends on the number of threads"
# a file in another unit: results are in its own
run 0 bake builtin:tube --clip twist --unit cm --to 0.1 --method lbs -o "$folder/u.usda"
awk '/metersPerUnit/ { exit ( $3 < 0.009999 || $3 > 0.010001 ) }' "$folder/u.usda" || fail "the unit of the .usda"
run 0 bake builtin:tube --clip twist --to 0.1 --method lbs -o "$folder/v.usda"
[ "$(grep -c . "$folder/u.usda")" -eq "$(grep -c . "$folder/v.usda")" ] || fail "another unit gives other files"
run 0 bake builtin:tube --clip twist --unit 0.01 --to 0.1 -o "$folder/u.glb"
run 0 info "$folder/u.glb"
out "2 x 0.3 x 0.3 m"
run 2 bake builtin:tube --unit furlong -o "$folder/u.pc2"
err "unknown unit 'furlong'"
run 0 bake builtin:tube --clip all --fps 10 --from 0.5 --to 1 --method dqs -o "$folder/d.mdd" --json
json clips=2 frames=12 files=2
[ -e "$folder/d.bend.mdd" ] && [ -e "$folder/d.twist.mdd" ] || fail "one file per clip"
run 0 bake builtin:tube --clip bend --fps 2 -o "$folder/e.obj" --json
json frames=5 files=5
[ -e "$folder/e.0005.obj" ] || fail "one file per frame"
run 0 bake builtin:tube --clip bend --fps 2 -o "$folder/f.usda"
out "5 frames" position
run 0 bake builtin:tube --rest --method dqs -o "$folder/g.usda" --json
json frames=1

# loops: the clip is 2 s; no pose is there twice, and the rate is the nearest that closes
run 0 bake builtin:tube --clip twist --loop --fps 12.3 --method lbs -o "$folder/loop.pc2" --report "$folder/loop.json"
out "loop: 25 frames at 12.5 fps, seam 0.000 %"
err "is not a whole number of frames at 12.3 fps"
[ "$(stat -c %s "$folder/loop.pc2")" -eq $((32 + 25 * 292 * 12)) ] || fail "frames of a loop"
"$JSON_CHECK" clips.0.loop=true clips.0.fps=12.5 clips.0.loop_gap=0 < "$folder/loop.json" || fail "report of a loop"
run 0 bake builtin:tube --clip twist --loop --to 0.4 --method lbs -o "$folder/loop.pc2"
err "is not a cycle"

# a .vrm keeps its skin, its skeleton and its extension: helper bones
run 0 convert builtin:tube -o "$folder/hero.gltf" -q
sed -i '0,/{/s//{ "extensionsUsed": [ "VRMC_vrm" ], "extensions": { "VRMC_vrm": { "specVersion": "1.0", "meta": { "name": "hero" } } },/' "$folder/hero.gltf"
run 0 convert "$folder/hero.gltf" -o "$folder/hero.glb" -q
mv "$folder/hero.glb" "$folder/hero.vrm"
run 0 bake "$folder/hero.vrm" --clip bend --to 0.3 --method dqs -o "$folder/soft.vrm" -q
run 0 info "$folder/soft.vrm" --json
json counts.skins=1
grep -a -q '"VRMC_vrm":{"' "$folder/soft.vrm" || fail "the extension of a .vrm is lost"
run 2 bake "$folder/hero.vrm" --clip bend --to 0.3 --as targets -o "$folder/soft.vrm"
err "needs --as bones"

# contact without a scene file: a block that the tube bends into
cat > "$folder/block.obj" << 'END'
v -3 -3 -3
v 3 -3 -3
v 3 -0.1 -3
v -3 -0.1 -3
v -3 -3 3
v 3 -3 3
v 3 -0.1 3
v -3 -0.1 3
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 4 8 7 3
f 1 5 8 4
f 2 3 7 6
END
run 0 bake builtin:tube --clip bend --to 0.3 -o "$folder/free.pc2" -q
run 0 bake builtin:tube --clip bend --to 0.3 --collider "$folder/block.obj" -o "$folder/block.pc2" -q
run 0 bake builtin:tube --clip bend --to 0.3 --floor -o "$folder/floor.pc2" -q
run 0 bake builtin:tube --clip bend --to 0.3 --touch-self -o "$folder/self.pc2" -q
cmp -s "$folder/free.pc2" "$folder/block.pc2" && fail "--collider changes nothing"
cmp -s "$folder/free.pc2" "$folder/floor.pc2" && fail "--floor changes nothing"
run 1 bake builtin:tube --clip bend --collider "$folder/a.pc2" -o "$folder/block.pc2"
run 2 bake builtin:tube --clip bend --floor --resume -o "$folder/block.pc2"
err "cannot be resumed"

# into the document
run 0 bake builtin:tube --clip all --fps 10 --method dqs -o "$folder/i.glb" --json
json clips=2 frames=42 files=1
run 0 info "$folder/i.glb" --json
json counts.skins=0 clips.#=2 clips.0.name=bend clips.1.name=twist clips.0.end=2
targets=$(value counts.morph_targets)
run 0 bake builtin:tube --clip all --fps 10 --method dqs -o "$folder/i.glb" --tolerance 0.01 -q
run 0 info "$folder/i.glb" --json
[ "$(value counts.morph_targets)" -lt "$targets" ] || fail "a tolerance of 1 % keeps as many targets"
(cd "$folder" && "$SUPPLE" bake builtin:tube --rest -q) || fail "without -o"
[ -s "$folder/tube.baked.glb" ] || fail "no default output"

# settings from a file; the command line goes first
echo '{ "method": "lbs", "bake": { "clip": "twist", "fps": 10, "substeps": 2, "loop": true, "to": 1.0 } }' > "$folder/s.json"
run 0 bake builtin:tube --settings "$folder/s.json" -o "$folder/h.pc2" --json
json method=lbs frames=11
run 0 bake builtin:tube --settings "$folder/s.json" --fps 20 --method dqs -o "$folder/h.pc2" --json
json method=dqs frames=21
for bad in '{ "metod": "lbs" }' '{ "method": "jelly" }' '{ "fps": 30 }' '{ "bake": { "fps": "fast" } }' '{ "bake": { "fps": -1 } }' '[1]' '{' '{ "bake": { "loop": 3 } }' '{ "bake": 1 }'; do
	echo "$bad" > "$folder/bad.json"
	run 1 bake builtin:tube --settings "$folder/bad.json" -o "$folder/x.pc2"
done
run 1 bake builtin:tube --settings "$folder/missing.json" -o "$folder/x.pc2"

# clips whose names make the same file name do not share one
run 0 convert builtin:tube -o "$folder/same.gltf" -q
sed -i 's/"twist"/"BEND"/' "$folder/same.gltf"
run 0 bake "$folder/same.gltf" --clip all --fps 5 --method lbs -o "$folder/same.pc2" --json
json clips=2 files=2
run 0 bake "$folder/same.gltf" --clip '#1' --fps 5 --method lbs -o "$folder/second.pc2" -q
cmp -s "$folder/same.BEND_1.pc2" "$folder/second.pc2" || fail "clips of one name are mixed up: $(ls "$folder" | grep same)"
cmp -s "$folder/same.bend.pc2" "$folder/second.pc2" && fail "clips of one name share a file"

# stopped and resumed: the same bytes as in one go. Slow enough to be stopped in the middle.
slow="builtin:tube --clip twist --fps 4000 --method lbs"
run 0 bake $slow -o "$folder/whole.pc2" -q
stop "$folder/parts.pc2.part" bake $slow -o "$folder/parts.pc2" -q
if [ $status -eq 5 ]; then
	[ -e "$folder/parts.pc2" ] && [ -e "$folder/parts.pc2.part" ] || fail "stopped without leaving what was done"
	frames=$(od -An -tu4 -j28 -N4 "$folder/parts.pc2" | tr -d ' ')
	[ "$(stat -c %s "$folder/parts.pc2")" -eq $((32 + frames * 292 * 12)) ] || fail "the cache of a stopped bake is not whole"
	run 0 bake $slow -o "$folder/parts.pc2" --resume --json
	json complete=true resumed_frames="$frames"
elif [ $status -ne 0 ]; then
	fail "a stopped bake ended with $status"
fi
cmp -s "$folder/whole.pc2" "$folder/parts.pc2" || fail "a resumed bake differs"
[ -z "$(ls "$folder" | grep -E '[.]part|[.]state' || true)" ] || fail "work files are left behind"

# a full disk: what cannot be resumed goes, what can be is told of
for frames in 10 25; do
	status=0
	( ulimit -f $((frames * 7)); exec "$SUPPLE" bake builtin:tube --method lbs --fps 20 -o "$folder/full.pc2" ) 2> "$folder/.stderr" || status=$?
	[ $status -eq 3 ] || fail "a bake onto a full disk ended with $status"
	command_line="bake onto a full disk"
	if [ -e "$folder/full.pc2.part.state" ]; then
		err "--resume continues"
		rm "$folder"/full.pc2.part*
		resumable=1
	fi
	[ -z "$(ls "$folder" | grep full || true)" ] || fail "frames that nobody can use are left: $(ls "$folder" | grep full)"
done
[ "${resumable:-0}" = 1 ] || fail "a full disk cost frames that could be resumed"

# helper bones: a skinned file, small, with a table of errors; baked clips first, others on request
run 0 bake builtin:tube --clip twist --fps 15 --method dqs --as bones:6 -o "$folder/bones.glb" --report "$folder/bones.json"
out "6 helper bones, 4 influences" "rms mm" "plain mm" twist
"$JSON_CHECK" bones.helpers=6 bones.influences=4 bones.clips.#=1 bones.clips.0.name=twist < "$folder/bones.json" ||
	fail "the report of bones"
run 0 info "$folder/bones.glb" --json
json counts.morph_targets=0 counts.skins=1 clips.#=1 clips.0.name=twist
run 0 bake builtin:tube --clip twist --fps 15 --method dqs --as bones:6 --influences 8 --scale --keep-clips -o "$folder/kept.glb" -q
run 0 info "$folder/kept.glb" --json
json clips.#=2 clips.0.name=twist clips.1.name=bend
run 0 bake builtin:tube --clip twist --fps 15 --method dqs --as bones:6 -o "$folder/one.glb" --threads 1 -q
cmp -s "$folder/one.glb" "$folder/bones.glb" || fail "bones depend on the number of threads"
run 0 bake builtin:tube --clip twist --fps 5 --method lbs -o "$folder/first.glb" -q
run 0 info "$folder/first.glb" --json
json clips.#=1 clips.0.name=twist
run 0 bake builtin:tube --clip twist --fps 5 --method lbs --keep-clips -o "$folder/first.glb" -q
run 0 info "$folder/first.glb" --json
json clips.#=2 clips.0.name=twist clips.1.name=bend
run 0 bake builtin:tube --clip twist --fps 5 --method lbs --compress -o "$folder/small.glb" -q
run 0 bake builtin:tube --clip twist --fps 5 --method lbs -o "$folder/plain.glb" -q
[ "$(stat -c %s "$folder/small.glb")" -lt "$(stat -c %s "$folder/plain.glb")" ] || fail "--compress makes nothing smaller"
run 0 info "$folder/small.glb" --json
json clips.#=1 clips.0.name=twist
run 0 bake builtin:tube --clip twist --fps 800 --tolerance 0 --method lbs -o "$folder/large.glb"
err "large.glb will have" "--as bones" "--compress" "--tolerance 0.001"
# several clips by name, in that order
run 0 bake builtin:tube --clip twist,bend --fps 5 --method lbs -o "$folder/two.glb" -q
run 0 info "$folder/two.glb" --json
json clips.#=2 clips.0.name=twist clips.1.name=bend
run 2 bake builtin:tube --clip twist,twist -o "$folder/x.glb"
err "'twist' is listed twice"
run 1 bake builtin:tube --clip twist,bent -o "$folder/x.glb"
err "no clip 'bent'"
# the rest of a clip
run 0 bake builtin:tube --clip twist --to 1 --fps 15 --method dqs --as bones:6 -o "$folder/part.glb"
err "was baked from 0 to 1 s of its 2 s"
# bones of no clip, of one frame, too few of them, of what has no skeleton, of morph targets alone
run 0 bake builtin:tube --rest --method lbs --as bones -o "$folder/rest.glb" -q
run 0 bake builtin:tube --clip twist --from 0 --to 0 --method dqs --as bones -o "$folder/single.glb" --json
json frames=1 bones.clips.#=1
run 0 bake builtin:tube --clip twist --fps 15 --method dqs --as bones:1 -o "$folder/few.glb"
err "1 helper bone leaves" "would leave 0.2 %: --as bones:"
cat > "$folder/morph.gltf" << 'END'
{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [ { "nodes": [ 0 ] } ], "nodes": [ { "mesh": 0 } ],
  "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0 }, "targets": [ { "POSITION": 1 } ] } ], "weights": [ 0 ] } ],
  "animations": [ { "name": "pop", "samplers": [ { "input": 2, "output": 3 } ], "channels": [ { "sampler": 0, "target": { "node": 0, "path": "weights" } } ] } ],
  "accessors": [ { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [ 0, 0, 0 ], "max": [ 1, 1, 0 ] },
    { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [ 0, 0, 0 ], "max": [ 1, 1, 0 ] },
    { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [ 0 ], "max": [ 1 ] }, { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR" } ],
  "bufferViews": [ { "buffer": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 8 } ],
  "buffers": [ { "byteLength": 44, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8=" } ] }
END
# helpers are then the skeleton, and do what the targets did
run 0 bake "$folder/morph.gltf" --as bones -o "$folder/helpers.glb" --json
json bones.clips.#=1 bones.clips.0.name=pop
run 0 info "$folder/helpers.glb" --json
json counts.skins=1 counts.morph_targets=0 clips.0.name=pop
# a basis: fewer targets, and a note where there are none fewer
run 0 bake builtin:tube --clip twist --fps 60 --method dqs --as basis --tolerance 0.001 -o "$folder/basis.glb" --json
json basis=true
run 0 bake builtin:tube --clip twist --fps 5 --method dqs --as basis --tolerance 0 -o "$folder/basis.glb"
err "principal components would need as many"
# vertex animation textures: four files, 16 bits, and none where they do not fit
run 0 bake builtin:tube --clip all --fps 10 --method dqs --as vat -o "$folder/vat.png" --json
json files=4
"$JSON_CHECK" clips.#=2 clips.1.name=twist uv=1 vertices=292 mesh=vat.vat.glb < "$folder/vat.vat.json" || fail "the description of a vat"
[ "$(od -An -tu1 -j24 -N2 "$folder/vat.png" | tr -d ' ')" = 162 ] || fail "the texture is no 16-bit RGB PNG"
run 0 info "$folder/vat.vat.glb" --json
json counts.skins=0 clips.#=0
run 0 bake builtin:tube --clip twist --fps 10 --method dqs --as vat -o "$folder/vat.exr" -q
[ "$(od -An -tx4 -N4 "$folder/vat.exr" | tr -d ' ')" = 01312f76 ] || fail "the texture is no EXR"
run 2 bake builtin:tube --as vat -o "$folder/x.glb"
err "must end in one of"
run 2 bake builtin:tube --as vat
err "-o FILE.png"
run 2 bake builtin:tube --as vat --compress -o "$folder/x.png"
run 1 bake builtin:tube --clip twist --fps 10000 --method lbs --as vat -o "$folder/x.png"
err "need a texture of 20001 rows" "--fps"
[ -z "$(ls "$folder" | grep -E '^x[.](normals|png$|vat)' || true)" ] || fail "a refused bake wrote something"
run 2 bake builtin:tube --as bones:0 -o "$folder/x.glb"
err "bones:N with N from 1 to 1024 (got 'bones:0')"
run 2 bake builtin:tube --as jelly -o "$folder/x.glb"
err "expected targets, basis, bones, bones:N or vat (got 'jelly')"
run 2 bake builtin:tube --as bones -o "$folder/x.pc2"
err "must end in one of"
run 2 bake builtin:tube --as bones --influences 0 -o "$folder/x.glb"
run 2 bake builtin:tube --influences 4 -o "$folder/x.glb"
err "require --as bones"
[ ! -e "$folder/x.glb" ] || fail "a refused bake wrote something"

# bad input
run 1 bake builtin:tube --clip jump -o "$folder/x.pc2"
err "no clip 'jump'" bend twist
run 2 bake builtin:tube --method jelly -o "$folder/x.pc2"
err "unknown method" lbs dqs
run 2 bake builtin:tube -o "$folder/x.abc"
err "must end in one of"
run 2 bake builtin:tube -o "$folder/x.pc2" --fps 0
echo '{ "method": "position", "parameters": { "tets": 300 }, "softness": [ { "name": "far", "shape": "sphere", "center": [50, 0, 0], "radius": 0.1 } ] }' > "$folder/far.json"
run 0 bake builtin:tube --rest --settings "$folder/far.json" -o "$folder/far.pc2"
err "soft region 0 (far) is outside the body"
run 0 bake builtin:tube --method lbs --fps 10 --from 1.5 --to 3 -o "$folder/past.pc2" --json
json frames=16
err "clip 'bend' ends at 2 s; the last pose is held"
run 2 bake builtin:tube -o "$folder/x.pc2" --from 1.5 --to 1
err "--from (1.5) must be before --to (1)"
printf '{ "bake": { "fps": 10, "fps": 20 } }' > "$folder/twice.json"
run 1 bake builtin:tube --settings "$folder/twice.json" -o "$folder/x.pc2"
err "twice.json: line 1, column" "duplicate object key"
run 3 bake builtin:tube -o "$folder/missing/x.pc2"
err "no folder"
run 3 bake builtin:tube -o "$folder/x.pc2" --report "$folder/missing/r.json"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > "$folder/plain.obj"
run 1 bake "$folder/plain.obj" -o "$folder/x.pc2"
err "has a skin" "supple bind"
run 2 bake "$folder/plain.obj" -o "$folder/plain.obj"
err "is also an input"
[ ! -e "$folder/x.pc2" ] || fail "a failed command left a cache"
finish
