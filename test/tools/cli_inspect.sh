#!/usr/bin/env bash
# supple inspect: figures and pictures of characters, tetrahedra and flesh.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run 0 inspect builtin:tube5 --tets 2000 -o "$folder/cut.png" --json --size 160x120
json tets.inverted=0 tets.parts=1 layers.0.name=bone layers.3.name=skin binding.inside tets.dihedrals.17=0 output
tets=$(value tets.count)
[ "$tets" -ge 1800 ] && [ "$tets" -le 2200 ] || fail "$tets tetrahedra where 2000 were asked for"
cp "$folder/.stdout" "$folder/first"
cp "$folder/cut.png" "$folder/first.png"
run 0 inspect builtin:tube5 --tets 2000 -o "$folder/cut.png" --json --size 160x120 --threads 1
cmp -s "$folder/.stdout" "$folder/first" || fail "the figures depend on the number of threads"
cmp -s "$folder/cut.png" "$folder/first.png" || fail "the picture depends on the number of threads"
run 0 inspect builtin:tube5 --tets 2000 -o "$folder/cut.png" --color quality --cut 0.25 --view side --size 160x120
cmp -s "$folder/cut.png" "$folder/first.png" && fail "--color and --cut change nothing"
out "Tetrahedra" "Dihedral angles" "Layers" "Binding of the skin" "muscle"

# a cube of six tetrahedra, by hand: right angles, half-right ones and 60 degrees
cat > "$folder/cube.mesh" << 'END'
MeshVersionFormatted 1
Dimension 3
Vertices
8
0 0 0 0
1 0 0 0
0 1 0 0
1 1 0 0
0 0 1 0
1 0 1 0
0 1 1 0
1 1 1 0
Tetrahedra
6
1 2 4 8 0
1 4 3 8 0
1 3 7 8 0
1 7 5 8 0
1 5 6 8 0
1 6 2 8 0
END
run 0 inspect "$folder/cube.mesh" --json -o "$folder/cube.png" --size 160x120
json tets.count=6 tets.points=8 tets.parts=1 tets.inverted=0 tets.volume=1
angles=$(value tets.dihedral_min)
case "$angles" in 45*|44.99*) ;; *) fail "the sharpest angle is $angles, not 45" ;; esac
angles=$(value tets.dihedral_max)
case "$angles" in 90*|89.99*) ;; *) fail "the widest angle is $angles, not 90" ;; esac
run 1 inspect "$folder/cube.mesh" --color layers -o "$folder/x.png"
err "the layers are unknown"

# what is longer than wide is seen, and cut, from its long side
sed '5,12s/ 1 0$/ 3 0/' "$folder/cube.mesh" > "$folder/long.mesh"
run 0 inspect "$folder/long.mesh" -o "$folder/long.png" --size 160x120
run 0 inspect "$folder/long.mesh" -o "$folder/side.png" --size 160x120 --view 58,10
run 0 inspect "$folder/long.mesh" -o "$folder/front.png" --size 160x120 --view three-quarter
cmp -s "$folder/long.png" "$folder/side.png" || fail "a long body is not seen from its long side"
cmp -s "$folder/long.png" "$folder/front.png" && fail "--view changes nothing"

# flesh: what is in the file, without its character
run 0 build builtin:tube5 --method lbs -o "$folder/tube.flesh" -q
run 0 inspect "$folder/tube.flesh" --json
json method=lbs character=tube5 sections.0.name
run 0 inspect "$folder/tube.flesh"
out "flesh of tube5 by the method lbs" "flesh/method" "Sections"
run 1 inspect "$folder/tube.flesh" -o "$folder/x.png"
err "the file has no tetrahedra to draw"
head -c 300 "$folder/tube.flesh" > "$folder/short.flesh"
run 1 inspect "$folder/short.flesh"
err "the file is incomplete"

run 2 inspect
run 2 inspect builtin:tube5 -o "$folder/x.jpg"
err "must end in"
run 2 inspect builtin:tube5 --tets 5
run 2 inspect "$folder/cube.mesh" --view sideways -o "$folder/x.png"
err "option --view: expected"
run 2 inspect "$folder/cube.mesh" --size 12 -o "$folder/x.png"
err "option --size: expected"
run 1 inspect "$folder/none.msh"
run 1 inspect "$folder/none.glb"
[ ! -e "$folder/x.png" ] || fail "a failed command left a file"

# a plain mesh has no bones, so it has no layers
"$SUPPLE" pose builtin:tube --rest -q -o "$folder/plain.obj"
run 0 inspect "$folder/plain.obj" --tets 1000 --json
err "no layers"
json tets.count binding.outside

# the control lattice: figures, a picture, a file
run 0 inspect builtin:tube5 --lattice 60 --json
json lattice.cells lattice.bones=5 lattice.outside_bones=0 binding.outside=0 binding.inside=292
cp "$folder/.stdout" "$folder/first"
run 0 inspect builtin:tube5 --lattice 60 --threads 1 --json
cmp -s "$folder/first" "$folder/.stdout" || fail "the lattice depends on the number of threads"
run 0 inspect builtin:tube5 --lattice 60 --size 96x64 -o "$folder/lattice.png"
out "roundness" "vertices of the skin in cells, 0 outside"
[ -s "$folder/lattice.png" ] || fail "no picture"
run 0 inspect builtin:tube5 --lattice 60 -q -o "$folder/lattice.json"
"$JSON_CHECK" vertices.0.2 cells.0.3 joints.0.node bones.4 pins.0.3 edges.0.2 < "$folder/lattice.json" > /dev/null || fail "the lattice's file is not one"
# a body without a skeleton has a bone in its core
run 0 inspect "$folder/plain.obj" --lattice 60 --json
json lattice.bones=1
run 2 inspect builtin:tube5 --lattice 5
run 2 inspect builtin:tube5 --lattice 60 -o "$folder/x.glb"
finish
