#!/usr/bin/env bash
# Scene files: supple bake and supple render with attachments, props, drags and colliders.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat > "$folder/s.json" << 'END'
{ "supple_scene": 1, "name": "Hanging", "duration": 0.5, "fps": 20, "substeps": 4,
  "actors": [
    { "name": "tube", "file": "builtin:tube", "method": "dqs", "clip": "bend", "position": [0, 1, 0], "turn": 90 },
    { "name": "rope", "prop": { "kind": "rope", "from": [0, 2, 0], "to": [0, 1.5, 0], "thickness": 0.05, "segments": 6 } },
    { "name": "cube", "prop": { "kind": "cube", "size": 0.2, "segments": 2 }, "position": [1, 1, 0] } ],
  "attachments": [
    { "name": "hook", "places": [ { "at": [0, 2, 0] }, { "actor": "rope", "near": [0, 2, 0], "radius": 0.05 } ] },
    { "name": "load", "from": 0.1, "assembly": 0.2, "places": [ { "actor": "rope", "near": [0, 1.5, 0] }, { "actor": "cube", "near": [1, 1.2, 0] } ] } ],
  "drags": [ { "actor": "cube", "near": [1.1, 1, 0], "path": [ { "time": 0.1, "at": [1.2, 1, 0] }, { "time": 0.3, "at": [1.3, 1, 0] } ] } ] }
END
run 0 bake "$folder/s.json" -o "$folder/a.pc2" --json
json actors=3 frames=11
[ -s "$folder/a.rope.pc2" ] && [ -s "$folder/a.cube.pc2" ] && [ "$(ls "$folder"/a.tube*.pc2 | wc -l)" -ge 1 ] || fail "a file for each actor"
run 0 bake "$folder/s.json" -o "$folder/b.pc2" --threads 1 -q
cmp -s "$folder/a.cube.pc2" "$folder/b.cube.pc2" || fail "the scene depends on the number of threads"
run 0 bake "$folder/s.json" -o "$folder/b.pc2" --substeps 4 -q
cmp -s "$folder/a.cube.pc2" "$folder/b.cube.pc2" || fail "the scene's substeps are not those of the file"
run 0 bake "$folder/s.json" -o "$folder/b.pc2" --substeps 1 -q
cmp -s "$folder/a.cube.pc2" "$folder/b.cube.pc2" && fail "--substeps changes nothing"
run 0 render "$folder/s.json" -o "$folder/four.png" --size 96x54 --time 0.4 -q
run 0 render "$folder/s.json" -o "$folder/one.png" --size 96x54 --time 0.4 --substeps 1 -q
cmp -s "$folder/four.png" "$folder/one.png" && fail "--substeps changes nothing in a picture"
run 0 bake "$folder/s.json" -o "$folder/c.glb" -q
run 0 info "$folder/c.cube.glb" --json
json clips.#=1 clips.0.name=Hanging clips.0.end=0.5
[ -z "$(ls "$folder" | grep part || true)" ] || fail "something half-written is left"
# times of the command line go before those of the file; the report has every frame of everybody
run 0 bake "$folder/s.json" -o "$folder/t.pc2" --fps 10 --from 0.1 --to 0.4 --report "$folder/t.json" --json
json frames=4
"$JSON_CHECK" fps=10 frames=4 per_frame.#=4 actors.#=3 actors.2.name=cube actors.2.per_frame.#=4 < "$folder/t.json" || fail "report of a scene"
cat > "$folder/loads.json" << 'END'
{ "supple_scene": 1, "duration": 0.1, "actors": [ { "name": "tube", "file": "builtin:tube5", "method": "layered", "clip": "bend" } ] }
END
run 0 bake "$folder/loads.json" -o "$folder/loads.pc2" --report "$folder/loads.report.json" -q
"$JSON_CHECK" actors.0.joints.#=4 < "$folder/loads.report.json" || fail "loads of joints"
# settings of an actor within the scene file: joints, and what is wrong with them
sed 's/"clip"/"settings": { "joints": [ { "node": "bone3", "kind": "hinge", "axis": [0, 0, 1], "limits": [-90, 90] } ] }, "clip"/' "$folder/loads.json" > "$folder/joints.json"
run 0 bake "$folder/joints.json" -o "$folder/loads.pc2" --report "$folder/joints.report.json" -q
cmp -s "$folder/loads.report.json" "$folder/joints.report.json" && fail "settings within a scene file change nothing"
sed -i 's/\[-90, 90\]/[10, 90]/' "$folder/joints.json"
run 1 bake "$folder/joints.json" -o "$folder/y.pc2"
err '"bone3": the limits exclude the rest pose by 10.0 degrees'
# settings name the method of an actor that names none, whatever the command line has for others
cat > "$folder/named.json" << 'END'
{ "supple_scene": 1, "duration": 0.1, "actors": [ { "name": "tube", "file": "builtin:tube", "clip": "bend", "settings": { "method": "modes", "parameters": { "tets": 300 } } } ] }
END
sed 's/"settings".*$/"method": "modes:tets=300" } ] }/' "$folder/named.json" > "$folder/worded.json"
sed 's/"settings".*$/"settings": "modes.json" } ] }/' "$folder/named.json" > "$folder/filed.json"
echo '{ "method": "modes", "parameters": { "tets": 300 } }' > "$folder/modes.json"
for name in named worded filed
do
	run 0 bake "$folder/$name.json" -o "$folder/$name.pc2" --method lbs -q
done
cmp -s "$folder/named.pc2" "$folder/worded.pc2" && cmp -s "$folder/filed.pc2" "$folder/worded.pc2" || fail "the method of an actor's settings"
sed 's/"modes"/"moods"/' "$folder/named.json" > "$folder/moods.json"
run 1 bake "$folder/moods.json" -o "$folder/y.pc2"
err "unknown method 'moods'"
cat > "$folder/loop.json" << 'END'
{ "supple_scene": 1, "duration": 2, "actors": [ { "name": "tube", "file": "builtin:tube", "method": "dqs", "clip": "bend" } ] }
END
run 0 bake "$folder/loop.json" -o "$folder/loop.pc2" --loop --fps 10
out "loop: 20 frames at 10 fps, seam 0.000 %"
run 2 bake "$folder/loop.json" -o "$folder/loop.pc2" --floor
err "the scene file sets"
# actors whose names make the same file name do not share one: "cu be" and "cu_be"
sed 's/"cube"/"cu be"/g; s/"rope"/"cu_be"/g; s/"kind": "cu be"/"kind": "cube"/; s/"kind": "cu_be"/"kind": "rope"/' "$folder/s.json" > "$folder/same.json"
run 0 bake "$folder/same.json" -o "$folder/same.pc2" -q
cmp -s "$folder/same.cu_be.pc2" "$folder/a.rope.pc2" && cmp -s "$folder/same.cu_be_2.pc2" "$folder/a.cube.pc2" || fail "actors of like names are mixed up"
# Ctrl-C: whole caches of the frames done so far, each of as many
sed 's/"duration": 0.5/"duration": 1000/' "$folder/s.json" > "$folder/long.json"
stop "$folder/long.cube.pc2.part" bake "$folder/long.json" -o "$folder/long.pc2"
[ $status -eq 5 ] || fail "$command_line: exit status $status"
err "the frames done so far are in"
frames=$(od -An -tu4 -j28 -N4 "$folder/long.cube.pc2" | tr -d ' ')
[ "$frames" -ge 1 ] && [ "$frames" -lt 20000 ] && [ "$(od -An -tu4 -j28 -N4 "$folder/long.rope.pc2" | tr -d ' ')" -eq "$frames" ] || fail "a stopped scene: $frames frames"
[ -z "$(ls "$folder" | grep part || true)" ] || fail "something half-written is left"
run 0 render "$folder/s.json" -o "$folder/s.png" --size 96x54 --sheet 2x1 --json
json frames=2 width=96

cat > "$folder/contact.json" << 'END'
{ "supple_scene": 1, "duration": 0.5, "fps": 20, "substeps": 4,
  "actors": [
    { "name": "tube", "file": "builtin:tube", "method": "dqs", "clip": "bend", "speed": 0, "position": [0, 0.15, 0], "contact": { "actors": true },
      "turns": [ { "node": "bone2", "path": [ { "time": 0, "turn": [0, 0, 0] }, { "time": 0.5, "turn": [0, 20, 0] } ] } ] },
    { "name": "cube", "prop": { "kind": "cube", "size": 0.2, "segments": 2 }, "position": [0, 0.31, 0], "contact": { "actors": true, "friction": 0.8 } } ],
  "colliders": [
    { "shape": "plane" },
    { "shape": "terrain", "size": 4, "cells": 8, "height": 0.1, "position": [0, -0.1, 0] },
    { "name": "ball", "shape": "sphere", "radius": 0.1, "motion": "dynamic", "position": [0, 0.7, 0], "velocity": [0, -1, 0] },
    { "name": "lid", "shape": "hull", "file": "builtin:tube", "motion": "kinematic", "position": [0, 2, 0], "path": [ { "time": 0.5, "at": [0, 1.5, 0], "turn": 30 } ] } ] }
END
run 0 bake "$folder/contact.json" -o "$folder/d.pc2" --audit --json
json actors=2 frames=11 audit_vertices=0
[ "$(value contacts)" -ge 1 ] || fail "the report tells of contacts"
[ -n "$(value penetration)" ] || fail "the report tells how deep"
run 0 render "$folder/contact.json" -o "$folder/contact.png" --size 96x54 --overlay contacts -q
for overlay in pressure loads proxies,pairs; do
	run 0 render "$folder/contact.json" -o "$folder/overlay.png" --size 96x54 --overlay "$overlay" -q
	cmp -s "$folder/contact.png" "$folder/overlay.png" && fail "--overlay $overlay draws contacts"
done
run 2 render "$folder/contact.json" -o "$folder/x.png" --overlay skeleton
err "unknown overlay 'skeleton' for a scene"
sed 's/"bone2"/"bone9"/' "$folder/contact.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "has no node 'bone9'"
sed 's/"shape": "hull", "file": "builtin:tube", "motion": "kinematic"/"shape": "plane", "motion": "dynamic"/; s/, "path": \[ { "time": 0.5, "at": \[0, 1.5, 0\], "turn": 30 } \]//' "$folder/contact.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "lid" "planes and open meshes have no mass"

# parameters that change: firmly on its clip, then let go, and it falls; a place that moves pulls what hangs on it along
cat > "$folder/blend.json" << 'END'
{ "supple_scene": 1, "duration": 0.4, "fps": 20,
  "actors": [
    { "name": "tube", "file": "builtin:tube", "method": "layered", "clip": "bend", "speed": 0,
      "parameters": [ { "time": 0.2, "strength": 0, "root": 0 }, { "time": 0.3, "root": 0 } ] },
    { "name": "cube", "prop": { "kind": "cube", "size": 0.2, "segments": 1 }, "position": [3, 0, 0] } ],
  "attachments": [ { "places": [ { "path": [ { "time": 0.1, "at": [2.9, 0, -0.1] }, { "time": 0.3, "at": [2.9, 0.5, -0.1] } ] }, { "actor": "cube", "near": [2.9, 0, -0.1] } ] } ] }
END
run 0 bake "$folder/blend.json" -o "$folder/e.glb" -q
sed 's/"time": 0.2, "strength": 0, "root": 0/"time": 0.2, "root": 1/; s/"time": 0.3, "root": 0/"time": 0.3, "root": 1/' "$folder/blend.json" > "$folder/firm.json"
run 0 bake "$folder/blend.json" -o "$folder/e.pc2" -q
run 0 bake "$folder/firm.json" -o "$folder/f.pc2" -q
cmp -s "$folder/e.cube.pc2" "$folder/f.cube.pc2" || fail "a parameter of one actor changes another"
cmp -s "$folder/e.tube.pc2" "$folder/f.tube.pc2" && fail "parameters over time change nothing"
# the head, 32 bytes, and frames of 12 bytes a vertex: the same up to the key
size=$(stat -c %s "$folder/e.tube.pc2")
cmp -s -n $(( 32 + ( size - 32 ) / 9 * 4 )) "$folder/e.tube.pc2" "$folder/f.tube.pc2" || fail "a parameter changes before its time"
sed 's/"strength": 0, /"stiffness": 100, /' "$folder/blend.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "no live parameter 'stiffness'" "supple methods layered"
sed 's/"strength": 0, /"strength": -1, /' "$folder/blend.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "strength must be from 0"

sed 's/"at": \[0, 2, 0\]/"actor": "cat", "near": [0, 2, 0]/' "$folder/s.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "attachments[0].places[0].actor" "no actor 'cat'"
sed 's/builtin:tube/missing.glb/' "$folder/s.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "missing.glb" "the actor 'tube' in"
sed 's/"near": \[1, 1.2, 0\]/"nail": 7/' "$folder/s.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "has no nail 7"
sed 's/"near": \[1, 1.2, 0\]/"inside": [5, 5, 5]/' "$folder/s.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "is not inside the actor 'cube'"
for option in "--clip bend" "--resume" "--preroll 0"; do
	run 2 bake "$folder/s.json" $option -o "$folder/x.pc2"
	err "the scene file sets"
done
sed 's/"method": "dqs"/"method": "dqs:stretch=1"/' "$folder/s.json" > "$folder/bad.json"
run 1 bake "$folder/bad.json" -o "$folder/x.pc2"
err "has no parameter 'stretch'" "the actor 'tube' in"
run 2 render "$folder/s.json" --fps 60 -o "$folder/x.mp4"
err "the scene file sets"
run 1 compare "$folder/s.json"
err "not glTF" "'supple bake' and 'supple render'"
run 2 render "$folder/s.json" builtin:tube -o "$folder/x.png"
err "combined with other files"
[ -z "$(ls "$folder" | grep '^x' || true)" ] || fail "a failed command left something"
finish
