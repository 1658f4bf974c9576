#!/usr/bin/env bash
# scripts/npm.sh FOLDER: installs what FOLDER/package-lock.json asks for, where it is not there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../$1"
# npm keeps what it installed here
installed=node_modules/.package-lock.json
[ -f "$installed" ] && [ ! package-lock.json -nt "$installed" ] && exit 0

echo "npm: installing what $1/package-lock.json lists"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm ci --no-audit --no-fund --ignore-scripts > "$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "npm: failed (above)" >&2
	exit 1
fi
touch "$installed"
