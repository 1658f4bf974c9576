#!/usr/bin/env bash
# supple pose, on the built-in characters: geometry against what it must be, and everything that can be asked wrongly.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1

# volume of a posed tube as info measures it in the written file
volume() {
	run 0 info "$1" --json
	value surface.volume
}

run 0 pose builtin:tube --rest -o rest.glb
out "rest pose" 292
run 0 pose builtin:tube --clip bend --time 0 -o zero.glb
rest=$(volume rest.glb)
json counts.skins=0 counts.clips=0 counts.vertices=292 surface.watertight=true
awk -v a="$rest" -v b="$(volume zero.glb)" 'BEGIN { exit !( ( a - b ) ^ 2 < 1e-12 ) }' || fail "the clip does not start at rest"

# at half a turn linear skinning pinches the ring in the middle to nothing, dual quaternions keep it round
for skinning in linear dual; do
	run 0 pose builtin:tube --clip twist --time 1 --skinning $skinning -o $skinning.glb
	out "twist at 1 s" "$skinning skinning"
	run 0 pose builtin:tube --clip twist --time 1 --skinning $skinning -o $skinning.obj
	# the middle ring: the ten vertices with x nearest to 0
	awk '$1 == "v" && $2 ^ 2 < 1e-6 { r = sqrt( $3 ^ 2 + $4 ^ 2 ); if ( n++ == 0 || r > most ) most = r } END { print n + 0, most + 0 }' \
		$skinning.obj > ring
	read -r ring_count ring_radius < ring
	[ "$ring_count" -eq 10 ] || fail "$ring_count vertices in the middle ring"
	awk -v r="$ring_radius" -v s=$skinning 'BEGIN { exit !( s == "linear" ? r < 1e-5 : ( r - 0.15 ) ^ 2 < 1e-10 ) }' ||
		fail "radius of the middle ring with $skinning skinning: $ring_radius"
	[ "$(grep -c '^v ' $skinning.obj)" -eq 292 ] || fail "vertices in $skinning.obj"
	[ "$(grep -c '^f ' $skinning.obj)" -eq 580 ] || fail "triangles in $skinning.obj"
done
linear=$(volume linear.glb)
dual=$(volume dual.glb)
awk -v l="$linear" -v d="$dual" -v r="$rest" 'BEGIN { exit !( l < d && d < 1.001 * r && l > 0 ) }' ||
	fail "volumes: rest $rest, linear $linear, dual $dual"

# half a turn of the second bone maps (x, y, z) to (x, -y, -z) where only it has a say: its end
run 0 pose builtin:tube --clip twist --time 1 -o twisted.obj
run 0 pose builtin:tube --rest -o rest.obj
paste -d ' ' <(grep '^v ' rest.obj) <(grep '^v ' twisted.obj) |
	awk '$2 > 0.45 { n += 1; d = ( $2 - $6 ) ^ 2 + ( $3 + $7 ) ^ 2 + ( $4 + $8 ) ^ 2; if ( d > 1e-10 ) bad += 1 } END { exit !( n > 50 && bad == 0 ) }' ||
	fail "the far end is not turned by half a turn"
# and a bend by 120 degrees about z maps (x, y) to (x cos - y sin, x sin + y cos)
run 0 pose builtin:tube --clip bend --time 1 -o bent.obj
paste -d ' ' <(grep '^v ' rest.obj) <(grep '^v ' bent.obj) |
	awk 'BEGIN { c = -0.5; s = sqrt( 3 ) / 2 } $2 > 0.45 { n += 1; d = ( c * $2 - s * $3 - $6 ) ^ 2 + ( s * $2 + c * $3 - $7 ) ^ 2 + ( $4 - $8 ) ^ 2
		if ( d > 1e-10 ) bad += 1 } END { exit !( n > 50 && bad == 0 ) }' ||
	fail "the far end is not bent by 120 degrees"

# all outputs hold the same frame
run 0 pose builtin:tube --clip bend --time 0.7 -o a.glb
run 0 pose builtin:tube --clip bend --time 0.7 -o a.gltf
[ -s a.bin ] || fail "no a.bin beside a.gltf"
run 0 info a.glb --json
sed -E '/"(file|format|bytes|name)":/d' "$folder/.stdout" > first
run 0 info a.gltf --json
sed -E '/"(file|format|bytes|name)":/d' "$folder/.stdout" | diff first - || fail "a.glb and a.gltf differ"

# any number of threads, the same bytes
for threads in 1 2 7; do
	run 0 pose builtin:tube5 --clip bend --time 0.7 --skinning dual --threads $threads -o "t$threads.glb"
done
cmp t1.glb t2.glb && cmp t1.glb t7.glb || fail "the result depends on the threads"

# by number, by default, as JSON, quietly
run 0 pose builtin:tube --clip '#1' --time 1 -o n.obj --json
json clip=twist time=1 skinning=linear vertices=292 triangles=580 output=n.obj file=builtin:tube motion=null
[ "$(value bytes)" -eq "$(wc -c < n.obj)" ] || fail "bytes of the summary"
run 0 pose builtin:tube -o n.obj --json
json clip=bend time=0
run 0 pose builtin:tube --clip TWIST -o n.obj -q
silent stdout
silent stderr

# times outside are held and noted; quiet keeps the note back
run 0 pose builtin:tube --clip bend --time 9 -o n.obj --json
err "note: 9 s is outside clip 'bend' (0 s to 2 s); using 2 s"
json time=2
run 0 pose builtin:tube --clip bend --time -1 -o n.obj
err "-1 s is outside clip" "using 0 s"
run 0 pose builtin:tube --clip bend --time 9 -o n.obj --quiet
silent stderr

# unknown clip: which ones there are; nothing is written
rm -f n.obj
run 1 pose builtin:tube --clip bendd -o n.obj
err "builtin:tube: no clip 'bendd'; did you mean 'bend'?" "#0" "#1" twist "2.00 s"
run 1 pose builtin:tube --clip '#2' -o n.obj
err "no clip '#2'"
run 1 pose builtin:tube --clip walk -o n.obj
err "clips:"
[ ! -e n.obj ] || fail "output in spite of an unknown clip"

# a file without clips
run 0 pose rest.glb -o again.obj
err "note: rest.glb has no clips: using its rest pose"
run 0 pose rest.glb --rest -o again.obj
silent stderr
run 1 pose rest.glb --clip walk -o again.obj
err "the file has no clips"

# motions that come along
run 0 pose builtin:tube --motion builtin:shake --time 0.1 -o shaken.obj --json
json clip=shake motion=builtin:shake
run 0 pose builtin:tube --rest -o again.obj -q
cmp -s shaken.obj again.obj && fail "builtin:shake does not move the tube"
run 1 pose builtin:tube --motion builtin:walk -o n.obj
err "not recognised as humanoid"
run 1 pose builtin:tube --motion builtin:shke -o n.obj
err "did you mean builtin:shake?"
run 2 pose builtin:tube --motion builtin:shake --motion-clip x -o n.obj
err "--motion-clip needs a motion from a file"
finish
