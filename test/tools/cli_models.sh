#!/usr/bin/env bash
# The built-in characters.
# labels: release
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run 0 models
out tube "two bones" bunny
run 0 models -q
[ "$(head -1 "$folder/.stdout")" = tube ] || fail "names alone"
run 0 models tube
out tube 292 580 bend twist
run 0 models --json
json 0.name=tube 0.vertices=292 0.triangles=580 0.joints=2 0.clips.0=bend 0.clips.1=twist 0.output=null
count=$(value '#')
two=$("$JSON_CHECK" 0.name 1.name < "$folder/.stdout")

run 0 models --export "$folder/characters"
[ "$(ls "$folder/characters" | wc -l)" -eq "$count" ] || fail "not all are exported"
run 0 models tube --export "$folder/one" --json
json '#=1' "0.output=$folder/one/tube.glb"
[ "$(ls "$folder/one")" = tube.glb ] || fail "more than the one asked for"
cmp -s "$folder/one/tube.glb" "$folder/characters/tube.glb" || fail "export is not repeatable"
run 2 models tub
err "unknown built-in character 'tub'"
touch "$folder/file"
run 3 models --export "$folder/file/x"
err "cannot create this folder"
run 3 models --export "$folder/file"

# what is said of the built-in and of its exported file is the same, but for where it came from
for model in $two; do
	run 0 info "builtin:$model" --json
	json surface.watertight=true surface.parts=1 surface.misoriented_edges=0 notes.#=0 unit_scale=1 format=builtin
	sed -E '/"(file|format|bytes|name)":/d' "$folder/.stdout" > "$folder/a"
	run 0 info "$folder/characters/$model.glb" --json
	json format=glb notes.#=0
	sed -E '/"(file|format|bytes|name)":/d' "$folder/.stdout" > "$folder/b"
	diff "$folder/a" "$folder/b" || fail "builtin:$model and its file differ"
done

run 0 info builtin:tube --json
json counts.vertices=292 counts.triangles=580 counts.joints=2 counts.influences=2 counts.clips=2 surface.welded_vertices=292 \
	clips.0.name=bend clips.0.end=2 clips.1.name=twist bounds.size.0~2 bounds.min.0~-1
# The body is 1.7 m of antiprisms between regular decagons of radius r: by Simpson's rule, exact for them, length / 6 times
# both ends and four times the middle, a 20-gon of radius r cos 9 degrees. The caps lie inside a sphere, and fill most of it.
volume=$(value surface.volume)
awk -v v="$volume" 'BEGIN { pi = 3.14159265; r = 0.15; end = 5 * r ^ 2 * sin( pi / 5 ); middle = 10 * ( r * cos( pi / 20 ) ) ^ 2 * sin( pi / 10 )
	body = 1.7 / 6 * ( 2 * end + 4 * middle ); sphere = 4 / 3 * pi * r ^ 3; exit !( v > body + 0.85 * sphere && v < body + sphere ) }' ||
	fail "volume $volume"
run 1 info builtin:tuba
err "did you mean builtin:tube?"
finish
