#!/usr/bin/env bash
# bones.sh SUPPLE FILE CLIP COMMAND...: bakes a clip (given by its index) as helper bones, with all other clips kept, and
# runs COMMAND with the result in place of the word OUT. FORM=targets bakes morph targets instead, OPTIONS are further ones;
# with SKINLESS, what is baked is a bake as morph targets, which has no skin any more.
set -euo pipefail
supple=$1 file=$2 clip=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
form=${FORM:-bones}
if [ -n "${SKINLESS:-}" ]; then
	"$supple" bake "$file" --clip "#$clip" --method dqs --to 1 --fps 24 --quiet -o "$folder/morphed.glb"
	file=$folder/morphed.glb clip=0
fi
"$supple" bake "$file" --clip "#$clip" --method dqs --to 1 --fps 24 --as "${form/bones/bones:12}" --keep-clips --quiet ${OPTIONS:-} -o "$folder/out.glb"
words=()
for word in "$@"; do
	[ "$word" = OUT ] && word=$folder/out.glb
	words+=("$word")
done
"${words[@]}"
