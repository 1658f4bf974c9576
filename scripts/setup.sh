#!/usr/bin/env bash
# Installs the Debian packages of the named groups that are missing: scripts/setup.sh build test ...
# The list is scripts/packages.txt. Does nothing, and needs no root, where all is there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

for group in "$@"; do
	grep -q "^$group " "$here/packages.txt" || { echo "setup: no group \"$group\" in scripts/packages.txt" >&2; exit 2; }
done

wanted() {
	local group
	for group in "$@"; do
		awk -v group="$group" '$1 == group { print $2 }' "$here/packages.txt"
	done
}

missing=()
if ! command -v dpkg-query > /dev/null; then
	echo "setup: no dpkg here; please install: $(wanted "$@" | tr '\n' ' ')" >&2
	exit 0
fi
for package in $(wanted "$@"); do
	# a tool that is on the path under the package's own name (nodejs from elsewhere, say) counts as there
	state=$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null || true)
	case "$package" in nodejs) command=node ;; npm) command=npm ;; *) command= ;; esac
	if [ "$state" != "install ok installed" ] && ! { [ -n "$command" ] && command -v "$command" > /dev/null; }; then
		missing+=("$package")
	fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "setup: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo > /dev/null || { echo "setup: not root and no sudo; please run: apt-get install ${missing[*]}" >&2; exit 1; }
	as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "setup: apt-get failed (above)" >&2
	exit 1
fi
