#!/usr/bin/env bash
# Things that go wrong: outputs that cannot be written, inputs that are no characters.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
run 0 models tube --export . -q
cp tube.glb kept.glb

# the input is never the output, by whatever name
run 2 convert tube.glb -o tube.glb
err "'tube.glb' is also an input and would be overwritten"
run 2 pose ./tube.glb -o "$folder/tube.glb"
err "is also an input"
ln -s tube.glb link.glb
run 2 pose link.glb -o tube.glb
err "is also an input"
run 2 convert builtin:tube -o tube.glb --motion tube.glb
err "is also an input"
cmp -s tube.glb kept.glb || fail "the input has changed"
# a .gltf brings a .bin, which may be one that the input needs
mkdir pair
run 0 convert tube.glb -o pair/tube.gltf
mv pair/tube.gltf pair/other.gltf
cp pair/tube.bin kept.bin
run 2 convert pair/other.gltf -o pair/tube.gltf
err "tube.bin"
cmp -s pair/tube.bin kept.bin || fail "a buffer of the input has changed"

# names that say nothing about the format, folders that are not there
run 2 pose builtin:tube -o x.stl
err "must end in one of: .glb .gltf .obj"
run 2 convert builtin:tube -o x
err ".glb .gltf"
run 3 convert builtin:tube -o no/where/x.glb
err "no folder no/where"
mkdir x.glb
run 3 convert builtin:tube -o x.glb
err "this is a folder"

# a pipe or a device is not a place for a file, and certainly not to be replaced by one
mkfifo pipe.obj
run 3 pose builtin:tube -o pipe.obj
err "pipe.obj: not a regular file"
[ -p pipe.obj ] || fail "a pipe was replaced"
# a link stays a link, and what it points to is written
mkdir elsewhere
echo old > elsewhere/real.obj
ln -s elsewhere/real.obj through.obj
run 0 pose builtin:tube -o through.obj -q
[ -L through.obj ] && [ "$(grep -c '^v ' elsewhere/real.obj)" -eq 292 ] || fail "not written through the link"
[ "$(ls -A elsewhere)" = real.obj ] || fail "something is left beside the target of the link"
ln -s nowhere.obj broken.obj
run 3 pose builtin:tube -o broken.obj
err "broken.obj: a dangling link"
[ -L broken.obj ] && [ ! -e nowhere.obj ] || fail "a broken link was followed or replaced"

# who may read an output stays as it was; new ones are as open as the user wants
echo old > private.obj
chmod 640 private.obj
run 0 pose builtin:tube -o private.obj -q
[ "$(stat -c %a private.obj)" = 640 ] || fail "the rights of an older output have changed"
( umask 027 && run 0 pose builtin:tube -o fresh.obj -q )
[ "$(stat -c %a fresh.obj)" = 640 ] || fail "a new output does not heed the umask"
if [ "$(id -u)" -ne 0 ]; then
	chmod 440 private.obj
	run 3 pose builtin:tube -o private.obj
	err "private.obj: cannot write here"
fi

# nothing to read
for name in glb gltf fbx bvh; do
	: > "empty.$name"
	run 1 info "empty.$name"
	err "empty.$name: the file is empty"
done
: > empty.json
run 1 pose builtin:tube --motion builtin:tube --map empty.json -o x.obj
err "empty.json: the file is empty"

# an older output survives a failure: no rights, no space
cp tube.glb old.obj
if [ "$(id -u)" -ne 0 ]; then
	mkdir locked
	cp old.obj locked/old.obj
	chmod a-w locked
	run 3 pose builtin:tube -o locked/old.obj
	err "locked/old.obj: cannot write here" "unchanged"
	cmp -s locked/old.obj kept.glb || fail "the older output has changed"
fi
run 3 pose builtin:tube -o /proc/x.obj
err "cannot write here"
# a file may not grow past this many blocks of 512 bytes: the same path through the program as a full disk
for output in old.obj new.obj new.glb new.gltf; do
	before=$(ls)
	status=0
	( ulimit -f 8; exec "$SUPPLE" pose builtin:tube -o "$output" > /dev/null 2> .stderr ) || status=$?
	rm -f .stderr
	[ "$status" -eq 3 ] || fail "full disk, $output: exit status $status"
	[ "$(ls)" = "$before" ] || fail "full disk, $output: left something behind: $(ls)"
done
# a .gltf and its .bin change together or not at all: here there is room for the .bin alone
run 0 convert builtin:tube -o twin.gltf -q
cp twin.bin kept.bin
size=$(wc -c < twin.bin)
echo "{\"asset\":{\"version\":\"2.0\"},\"extras\":\"$(head -c $((2 * size)) /dev/zero | tr '\0' x)\",\"buffers\":[{\"byteLength\":4,\"uri\":\"data:;base64,AAAAAA==\"}],\"nodes\":[{}]}" > large.gltf
status=0
( ulimit -f $(( size / 1024 + 1 )); exec "$SUPPLE" convert large.gltf -o twin.gltf ) > /dev/null 2>&1 || status=$?
[ "$status" -eq 3 ] || fail "full disk, .gltf: exit status $status"
cmp -s twin.bin kept.bin || fail "a full disk has split a .gltf from its .bin"
cmp -s old.obj kept.glb || fail "a full disk has cost the older output"

# what is printed must arrive; a reader that leaves is no failure
for command in "info builtin:tube" "info builtin:tube --json" "models" "help pose" "--version"; do
	status=0
	message=$( ulimit -f 0; exec "$SUPPLE" $command 2>&1 > .stdout ) || status=$?
	[ "$status" -eq 3 ] && [[ $message == *"standard output: writing failed"* ]] || fail "$command, no space: $status $message"
	if [ -c /dev/full ]; then
		status=0
		message=$("$SUPPLE" $command 2>&1 > /dev/full) || status=$?
		[ "$status" -eq 3 ] && [[ $message == *"standard output: writing failed"* ]] || fail "$command > /dev/full: $status $message"
	fi
	"$SUPPLE" $command 2> .stderr | true
	status=${PIPESTATUS[0]}
	[ "$status" -eq 0 ] && [ ! -s .stderr ] || fail "$command | true: $status"
done
status=0
"$SUPPLE" pose builtin:tube -o closed.obj >&- 2>&- <&- || status=$?
[ "$status" -eq 0 ] && [ "$(grep -c '^v ' closed.obj)" -eq 292 ] || fail "closed standard streams: $status"

# inputs that are none
run 1 info missing.glb
err "missing.glb: cannot open the file" "check the path"
: > empty.glb
mkdir folder.glb
head -c 5000 /dev/urandom > random.glb
head -c 5000 /dev/urandom > random.fbx
head -c 5000 /dev/urandom > random.xyz
head -c 700 tube.glb > short.glb
echo '{"asset":{"version":"2.0"}' > cut.gltf
echo '{"asset":{"version":"1.0"}}' > old.gltf
echo 'HIERARCHY' > cut.bvh
: > noextension
: > empty.fbx
: > empty.bvh
for file in empty.glb folder.glb random.glb random.fbx random.xyz short.glb cut.gltf old.gltf cut.bvh noextension empty.fbx empty.bvh; do
	run 1 info "$file"
	err "supple: $file"
	silent stdout
	run 1 info "$file" --json
	silent stdout
	run 1 convert "$file" -o out.glb
	run 1 pose "$file" -o out.obj
	run 1 pose builtin:tube --motion "$file" -o out.obj
	[ ! -e out.glb ] && [ ! -e out.obj ] || fail "$file: output in spite of an error"
done
# cut anywhere, it is said and nothing is written
size=$(wc -c < tube.glb)
for (( at = 0; at < size; at += size / 13 )); do
	head -c "$at" tube.glb > cut.glb
	run 1 info cut.glb
	err "supple: cut.glb"
done

echo '[1]' > list.json
echo '{' > cut.json
for map in list.json cut.json missing.json; do
	run 1 pose builtin:tube --motion kept.glb --map "$map" -o out.obj
	err "$map"
done

# more memory than there is; where even starting takes more (sanitizers), there is nothing to see
truncate -s 3G huge.glb
if ( ulimit -v 2000000; "$SUPPLE" --version ) > /dev/null 2>&1; then
	status=0
	( ulimit -v 2000000; exec "$SUPPLE" info huge.glb ) > .stdout 2> .stderr || status=$?
	command_line="supple info huge.glb"
	[ "$status" -eq 4 ] || fail "huge.glb: exit status $status"
	err "huge.glb: out of memory"
	silent stdout
fi
rm huge.glb

# long and foreign names
name=$(printf 'ein sehr langer Name mit Umlauten äöü und 漢字 %.0s' 1 2 3)
run 0 convert builtin:tube -o "$name.glb"
run 0 info "$name.glb" --json
json "file=$name.glb"
run 0 info "$name.glb"
# as long as a name can be
name=$(printf '%0251d' 0)
run 0 convert builtin:tube -o "$name.glb"
finish
