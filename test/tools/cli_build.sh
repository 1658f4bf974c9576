#!/usr/bin/env bash
# supple build: flesh in a file, and the commands that take it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run 0 build builtin:tube5 -o "$folder/tube.flesh" --json
json method=position output bytes milliseconds
run 0 build builtin:tube5 -o "$folder/again.flesh" --threads 1 -q
silent stdout
cmp -s "$folder/tube.flesh" "$folder/again.flesh" || fail "the file depends on the number of threads"
run 0 build builtin:tube5 --method lbs -o "$folder/lbs.flesh"
out "lbs.flesh: lbs, "

# what is baked with it is what is baked without it
run 0 bake builtin:tube5 --method lbs -o "$folder/built.pc2" -q
run 0 bake builtin:tube5 --flesh "$folder/lbs.flesh" -o "$folder/loaded.pc2" --json
json method=lbs
cmp -s "$folder/built.pc2" "$folder/loaded.pc2" || fail "loaded flesh bakes something else"
run 0 render builtin:tube5 --flesh "$folder/lbs.flesh" --size 64x48 -o "$folder/loaded.png"
run 0 render builtin:tube5 --method lbs --size 64x48 -o "$folder/built.png"
cmp -s "$folder/built.png" "$folder/loaded.png" || fail "loaded flesh looks different"

# every method that there is
"$SUPPLE" methods --json > "$folder/methods.json"
count=$("$JSON_CHECK" '#' < "$folder/methods.json")
for ((i = 0; i < count; ++i)); do
	method=$("$JSON_CHECK" "$i.name" < "$folder/methods.json")
	# coarse, since it is about the file
	case $method in fem) method=fem:vertices=60 ;; position | points) method=$method:tets=700 ;; esac
	run 0 build builtin:tube5 --method "$method" -o "$folder/any.flesh" -q
	run 0 bake builtin:tube5 --method "$method" --to 0.2 -o "$folder/built.pc2" -q
	run 0 bake builtin:tube5 --flesh "$folder/any.flesh" --to 0.2 -o "$folder/loaded.pc2" -q
	cmp -s "$folder/built.pc2" "$folder/loaded.pc2" || fail "loaded flesh of $method bakes something else"
done

# settings from a file
echo '{ "method": "lbs", "softness": [ { "shape": "all", "softness": 0.5 } ] }' > "$folder/soft.json"
run 0 build builtin:tube5 --settings "$folder/soft.json" -o "$folder/set.flesh" --json
json method=lbs
run 0 build builtin:tube5 --settings "$folder/soft.json" --method dqs -o "$folder/set.flesh" --json
json method=dqs
echo '{ "softness": [ { "shape": "all", "softness": 5 } ] }' > "$folder/soft.json"
run 1 build builtin:tube5 --settings "$folder/soft.json" -o "$folder/x.flesh"
err "softness[0].softness" "must be 0 to 1"

# files that do not fit
run 1 bake builtin:tube --flesh "$folder/lbs.flesh" -o "$folder/x.pc2"
err "built for the character 'tube5'" "and this is 'tube'"
run 1 render builtin:tube5 --flesh "$folder/built.png" -o "$folder/x.png"
err "not a flesh file"
run 1 bake builtin:tube5 --flesh "$folder/missing.flesh" -o "$folder/x.pc2"
head -c 400 "$folder/lbs.flesh" > "$folder/short.flesh"
run 1 bake builtin:tube5 --flesh "$folder/short.flesh" -o "$folder/x.pc2"
err "the file is incomplete"
printf 'X' | dd of="$folder/again.flesh" bs=1 seek=900 conv=notrunc 2> "$folder/.dd"
run 1 bake builtin:tube5 --flesh "$folder/again.flesh" -o "$folder/x.pc2"
err "checksum"
[ ! -e "$folder/x.pc2" ] && [ ! -e "$folder/x.png" ] || fail "a failed command left a file"

# options that make no sense
run 2 build builtin:tube5
err "missing option: --output"
run 2 build builtin:tube5 -o "$folder/x.glb"
err "must end in"
run 2 build builtin:tube5 --method jelly -o "$folder/x.flesh"
run 2 bake builtin:tube5 --method lbs --flesh "$folder/lbs.flesh" -o "$folder/x.pc2"
err "--flesh excludes --method"
run 2 render builtin:tube5 --set a=1 --flesh "$folder/lbs.flesh" -o "$folder/x.png"
err "--flesh excludes --set"
run 1 build "$folder/none.glb" -o "$folder/x.flesh"

# tetrahedra out and in again
run 0 build builtin:tube5 --method position --tets 1500 --save-tets "$folder/tube.vtk" -o "$folder/tube.flesh" --json
json method=position parameters.tets=1500
tets=$(value tets)
run 0 inspect "$folder/tube.vtk" --json
json tets.count="$tets" tets.inverted=0
cp "$folder/.stdout" "$folder/vtk.json"
run 0 inspect "$folder/tube.flesh" --json -o "$folder/tube.png" --size 160x120
json tets.count="$tets" binding.inside method=position
[ "$(value tets.volume)" = "$("$JSON_CHECK" tets.volume < "$folder/vtk.json")" ] || fail "flesh and its tetrahedra differ in volume"
# as every method has them that makes flesh of tetrahedra
for method in points modes
do
	run 0 build builtin:tube5 --method $method --tets 500 --save-tets "$folder/$method.vtk" -o "$folder/$method.flesh" --json
	made=$(value tets)
	run 0 inspect "$folder/$method.vtk" --json
	json tets.count="$made" tets.inverted=0
	run 0 inspect "$folder/$method.flesh" --json
	json tets.count="$made" method=$method
done
run 0 build builtin:tube5 --method position --tet-mesh "$folder/tube.vtk" -o "$folder/given.flesh" --json
json tets="$tets"
run 0 bake builtin:tube5 --flesh "$folder/given.flesh" --to 0.2 -o "$folder/given.pc2" -q
run 2 build builtin:tube5 --method position --tet-mesh "$folder/tube.vtk" --tets 9 -o "$folder/x.flesh"
err "--tet-mesh excludes --tets"
printf '#!/bin/sh\necho no licence\nexit 5\n' > "$folder/gmsh"
chmod +x "$folder/gmsh"
PATH="$folder:$PATH" run 1 build builtin:tube5 --method position --mesher gmsh -o "$folder/x.flesh"
err "gmsh" "failed with status 5" "no licence"
status=0
PATH="$folder" "$SUPPLE" build builtin:tube5 --method position --mesher tetgen -o "$folder/x.flesh" 2> "$folder/.stderr" || status=$?
[ "$status" -eq 1 ] || fail "without tetgen: exit status $status, not 1"
err "tetgen" "is it installed?"
if command -v tetgen > "$folder/.which"; then
	run 0 build builtin:tube5 --method position --mesher tetgen --tets 1000 -o "$folder/tetgen.flesh" --json
	json method=position tets
else
	echo "tetgen is not installed"
fi

# tetrahedra, where a method has none
printf 'MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra 1\n1 2 4 9 0\n' > "$folder/one.mesh"
for option in "--tets 1000" "--tet-mesh $folder/one.mesh" "--mesher tetgen" "--save-tets $folder/x.vtk"; do
	# shellcheck disable=SC2086
	run 2 build builtin:tube5 --method lbs $option -o "$folder/x.flesh"
	err "the method lbs has no tetrahedra"
done
run 2 build builtin:tube5 --method lbs --save-tets "$folder/x.stl" -o "$folder/x.flesh"
err "must end in"
run 2 build builtin:tube5 --mesher netgen -o "$folder/x.flesh"
err "own|tetgen|gmsh"
[ ! -e "$folder/x.flesh" ] && [ ! -e "$folder/x.vtk" ] || fail "a failed command left a file"
finish
