#!/usr/bin/env bash
# labels: release
# The scenes that come along: each can be drawn. Characters that touch are only skinned here: contact of flesh has tests of
# its own.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for scene in "$SUPPLE_SOURCE"/scenes/*.json; do
	flesh='s/^//'
	grep -q '"colliders"\|"contact"' "$scene" && flesh='s/"file": "\(builtin:[a-z0-9]*\)", "method": "[a-z]*"/"file": "\1", "method": "dqs"/'
	sed "$flesh" "$scene" > "$folder/t.json"
	run 0 render "$folder/t.json" -o "$folder/t.png" --size 64x36 --time 0 -q
done
finish
