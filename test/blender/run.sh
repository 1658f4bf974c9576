#!/usr/bin/env bash
# run.sh FOLDER [CASE...]: the add-on's tests, with the zip in FOLDER installed as a user would. Nothing of the user's own Blender is touched.
# SUPPLE_ASSETS names real characters to compare with `supple bake`; SUPPLE the command line; SUPPLE_PICTURES a folder for pictures of the window.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(cd "$1" && pwd)
shift
supple=${SUPPLE:-$root/build/supple}
assets=${SUPPLE_ASSETS:-$root/../shared/assets}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scripts/addons" "$work/config"
export BLENDER_USER_SCRIPTS=$work/scripts BLENDER_USER_CONFIG=$work/config
blender() { command blender -b --factory-startup --python-exit-code 3 "$@"; }

for file in test_addon test_edges; do
	status=0
	blender --python "$here/$file.py" -- "$folder" "$@" > "$work/$file.log" 2>&1 || status=$?
	grep -E '^(ok|FAILED|Traceback|  File|\w*Error)|^    ' "$work/$file.log" || true
	[ "$status" -eq 0 ] || { tail -n 20 "$work/$file.log"; echo "the add-on failed"; exit 1; }
done
grep -q '^ok ' "$work"/test_*.log || { tail -n 20 "$work"/test_*.log; echo "no case has run"; exit 1; }
[ $# -eq 0 ] || exit 0

echo "-- the command line for farms, and a render on a machine without Supple"
"$here/farm.sh" "$folder" "$work"

echo "-- in a window: panel, preview, a bake that Esc stops, a bake that ends by itself"
"$supple" convert builtin:bunny -o "$work/bunny.glb" --quiet
LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -a -s '-screen 0 1280x1100x24' blender --factory-startup --enable-event-simulate --python "$here/window.py" -- "$folder" "$work/bunny.glb" "${SUPPLE_PICTURES:-$work}" > "$work/log" 2>&1 || true
grep '^window: ok' "$work/log" || { tail -n 20 "$work/log"; exit 1; }

if [ ! -d "$assets/characters" ]; then
	echo "skipped: no real characters in $assets"
	exit 0
fi
# compare NAME FILE: against `supple bake` on the exported character
failed=0
compare() {
	echo "-- $1"
	blender --python "$here/against_supple.py" -- "$folder" "$work/$1" "$2" 24 > "$work/log" 2>&1 || { tail -n 20 "$work/log"; failed=1; return; }
	blender --python "$here/compare_bakes.py" -- "$supple" "$work/$1" > "$work/log" 2>&1 || { tail -n 20 "$work/log"; failed=1; return; }
	grep -E '^(lbs|position|[0-9]+ frames)' "$work/log"
}
"$supple" convert "$assets/characters/human-bunny.glb" --motion "$assets/motions/cmu_09_01_run.bvh" -o "$work/human-bunny.glb" --quiet
compare CesiumMan "$assets/characters/CesiumMan.glb"
compare Fox "$assets/characters/Fox.glb"
compare human-bunny "$work/human-bunny.glb"
compare Kenney "$assets/characters/fbx/maya_kenney_character_7700_binary.fbx"
compare Yeti "$assets/characters/Yeti/Yeti.gltf"
"$supple" convert "$assets/characters/human-sintel.glb" --motion "$assets/motions/cmu_02_01_walk.bvh" -o "$work/sintel.glb" --quiet
compare Sintel "$work/sintel.glb"
exit $failed
