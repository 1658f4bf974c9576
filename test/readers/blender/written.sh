#!/usr/bin/env bash
# written.sh SUPPLE DUMP_POSES FILE [CLIP SECONDS]: Supple writes the character, or one frame of it, as GLB; Blender must
# see what Supple sees in FILE.
set -euo pipefail
supple=$1 dump_poses=$2 file=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -eq 0 ]; then
	"$supple" convert "$file" --quiet -o "$work/written.glb"
else
	"$supple" pose "$file" --clip "#$1" --time "$2" --quiet -o "$work/written.glb"
fi
blender -b --factory-startup --python-exit-code 3 --python "$(dirname "$0")/compare.py" -- \
	"$dump_poses" "$work/written.glb" "$file" "$@"
