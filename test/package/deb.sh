#!/usr/bin/env bash
# deb.sh BUILD: the Debian package: what it needs, and that what is in it works from where it is unpacked.
source "$(dirname "$0")/common.sh"
command -v dpkg-shlibdeps > /dev/null || { echo "skipped: no dpkg-shlibdeps (package dpkg-dev)"; exit 77; }
step "make it"
quiet cpack --config "$1/CPackConfig.cmake" -B "$work/packages" -D CPACK_OUTPUT_FILE_PREFIX="$work/packages"
package=$(find "$work/packages" -maxdepth 1 -name 'supple_*.deb')

step "what it depends on"
depends=$(dpkg-deb -f "$package" Depends)
echo "$depends"
for library in libc6 libassimp5 libjansson4 libembree3 libcairo2; do
	grep -q "$library" <<< "$depends" || { echo "it should depend on $library"; exit 1; }
done

step "use it"
dpkg-deb -x "$package" "$work/root"
"$work/root/usr/bin/supple" bake builtin:tube --to 0.1 -o "$work/tube.glb" -q
run_consumer "$work/root/usr"

step "manual pages and completion"
for file in man/man1/supple.1 man/man1/supple-bake.1 bash-completion/completions/supple zsh/vendor-completions/_supple \
	fish/vendor_completions.d/supple.fish; do
	[ -s "$work/root/usr/share/$file" ] || { echo "it lacks $file"; exit 1; }
done
if find "$work/root" -type f -exec grep -lF -e "$1" {} +; then
	echo "the files above name the folder that they were built in"
	exit 1
fi
