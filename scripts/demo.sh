#!/usr/bin/env bash
# make demo: bakes the built-in bunny with every method there is, films the results side by side, and measures what each
# does to a twisted tube. Writes to out/. Needs no file but the program. SUPPLE, SUPPLE_OUT and SUPPLE_SIZE choose another
# program, folder and size of the pictures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
supple=${SUPPLE:-build/supple}
out=${SUPPLE_OUT:-out}
size=${SUPPLE_SIZE:-960x540}
mkdir -p "$out"

methods=$("$supple" methods -q)
number() { awk -v key="\"$2\":" '$1 == key { sub( ",", "", $2 ); print $2; exit }' "$1"; }

echo "The bunny shakes, baked with each method (30 frames a second):"
echo
printf '  %-10s %7s %14s %14s   %s\n' method frames "largest change" "ms a frame" file
printf '  %-10s %7s %14s %14s   %s\n' "" "" "of volume" "" ""
for method in $methods; do
	file=$out/bunny-$method.glb
	"$supple" bake builtin:bunny --clip Shake --method "$method" -q -o "$file" --report "$out/bunny-$method.json"
	report=$out/bunny-$method.json
	awk -v method="$method" -v frames="$(number "$report" frames)" -v volume="$(number "$report" volume_error_max)" \
		-v ms="$(number "$report" step_ms_median)" -v file="$file" \
		'BEGIN { printf "  %-10s %7d %12.1f %% %14.2f   %s\n", method, frames, 100 * volume, ms, file }'
done

echo
echo "A tube on two bones, twisted by half a turn and bent by 120 degrees:"
echo
printf '  %-10s %14s %14s\n' method "twist" "bend"
for method in $methods; do
	for clip in twist bend; do
		"$supple" bake builtin:tube --clip $clip --from 1 --to 1 --method "$method" -q -o "$out/tube.pc2" --report "$out/tube-$clip.json"
	done
	awk -v method="$method" -v twist="$(number "$out/tube-twist.json" volume_error_max)" \
		-v bend="$(number "$out/tube-bend.json" volume_error_max)" \
		'BEGIN { printf "  %-10s %9.1f %% lost %8.1f %% off\n", method, 100 * twist, 100 * bend }'
	rm -f "$out/tube.pc2" "$out"/tube-*.json
done

list=$(echo $methods | tr ' ' ',')
echo
echo "Drawing..."
"$supple" render builtin:bunny --clip Walk --sheet 4x2 --size "$size" -q -o "$out/bunny-walk.png"
"$supple" render builtin:tube --clip twist --time 1 --method "$list" --view front --size "$size" -q -o "$out/tube-twist.png"
film=
if command -v ffmpeg > /dev/null; then
	film=$out/bunny-shake.mp4
	"$supple" render builtin:bunny --clip Shake --method "$list" --size "$size" -q -o "$film"
fi
cat << END

Look at:
  $out/bunny-walk.png     the bunny walks: contact sheet
  $out/tube-twist.png     what twisting does, method by method
${film:+  $film    all methods side by side
}  $out/bunny-*.glb        baked animation for Blender, three.js, Godot, Unreal or any glTF viewer
Next: $supple --help, or $supple render with a character of your own.
END
