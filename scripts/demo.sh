#!/usr/bin/env bash
# make demo: poses a built-in character with both kinds of skinning, measures what becomes of its volume, and writes
# everything to out/. Needs no file but the program. SUPPLE and SUPPLE_OUT choose another program and folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
supple=${SUPPLE:-build/supple}
out=${SUPPLE_OUT:-out}
mkdir -p "$out"

# litres that the surface of a file encloses
volume() { "$supple" info "$1" --json | awk '/"volume":/ { sub( ",", "" ); printf "%.3f", 1000 * $2 }'; }

row() { # label, skinning, file
	local litres
	litres=$(volume "$3.glb")
	awk -v label="$1" -v skinning="$2" -v litres="$litres" -v rest="$rest" -v file="$3" \
		'BEGIN { printf "  %-12s %-9s %9.2f %8.1f %%   %s.glb .obj\n", label, skinning, litres, 100 * litres / rest, file }'
}

pose() { # file without extension, options of supple pose
	local file=$1
	shift
	"$supple" pose builtin:tube "$@" -q -o "$file.glb"
	"$supple" pose builtin:tube "$@" -q -o "$file.obj"
}

"$supple" convert builtin:tube -q -o "$out/tube.glb"
pose "$out/tube-rest" --rest
rest=$(volume "$out/tube-rest.glb")

echo "A tube of flesh on two bones, posed by the skinning that games use today:"
echo
printf '  %-12s %-9s %9s %10s   %s\n' pose skinning litres "of rest" files
row rest - "$out/tube-rest"
for clip in bend twist; do
	case $clip in bend) label="bend 120" ;; twist) label="twist 180" ;; esac
	for skinning in linear dual; do
		file=$out/tube-$clip-$skinning
		pose "$file" --clip $clip --time 1 --skinning $skinning
		row "$label" $skinning "$file"
	done
done
cat << END

The animated tube is $out/tube.glb. Open the .glb files in any glTF viewer, the .obj files in Blender or MeshLab.
Next: $supple --help, or $supple info with a character of your own.
END
