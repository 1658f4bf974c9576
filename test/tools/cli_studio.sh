#!/usr/bin/env bash
# supple studio: serves a page and the file it is given, with the headers that threads need, and nothing else.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
mkdir -p page/assets posted
echo '<title>studio</title>' > page/index.html
echo 'export {}' > page/assets/main.js
printf '\0asm' > page/library.wasm
echo secret > secret.txt

run 2 studio a b
run 2 studio --port 70000
run 2 studio --page page --method jelly
err "unknown method 'jelly'"
run 1 studio --page nowhere
err 'nowhere' 'index.html' 'make studio-page'
# not built: the command that builds it
cp "$SUPPLE" ./lone || fail "copy"
env -u SUPPLE_STUDIO ./lone studio > /dev/null 2> lone.err && fail "a page from nowhere"
grep -q "has not been built: run 'make studio'" lone.err || fail "$(cat lone.err)"
run 1 studio --page page missing.glb
err 'missing.glb'
run 1 studio --page page builtin:unicorn
err 'unicorn'

# start WORD...: serves in the background; leaves $address and $port
start() {
	# what the one before has said is no sign of this one
	rm -f served
	TMPDIR=$PWD/posted "$SUPPLE" studio --page page --no-open "$@" > served 2> complaints < /dev/null &
	server=$!
	local i
	for i in $(seq 600); do
		[ -s served ] && break
		sleep 0.1
	done
	[ -s served ] || fail "no server after a minute"
	address=$(head -1 served)
	port=${address#http://127.0.0.1:}
	port=${port%%/*}
}

stop() {
	local i
	kill -INT $server
	for i in $(seq 600); do
		kill -0 $server 2> /dev/null || break
		sleep 0.1
	done
	kill -KILL $server 2> /dev/null && fail "the server does not end"
	wait $server || fail "the server ended with $?"
	[ ! -s complaints ] || { fail "complaints"; cat complaints; }
}

# ask REQUEST-LINE [HOST]: the answer is in `answer`
ask() {
	exec 3<> "/dev/tcp/127.0.0.1/$port" || { fail "nobody listens at $port"; return; }
	printf '%s\r\nHost: %s\r\n\r\n' "$1" "${2:-127.0.0.1:$port}" >&3
	cat <&3 > answer
	exec 3>&-
}

# answered REQUEST-LINE STATUS [TEXT...]
answered() {
	local request=$1 status=$2 text
	shift 2
	ask "$request"
	head -1 answer | grep -q " $status " || fail "$request: $(head -1 answer)"
	for text in "$@"; do
		grep -qaF -e "$text" answer || fail "$request: lacks $text"
	done
}

"$SUPPLE" convert builtin:tube -q -o 'a tube.glb' || fail "convert"
start 'a tube.glb' --method fem
token=$(sed -nE '1s,.*[?]file=open/([0-9a-f]{32})/a%20tube.glb&method=fem#home=\1$,\1,p' served)
[ -n "$token" ] || fail "address $address"
answered 'GET / HTTP/1.1' 200 'text/html' '<title>studio</title>' 'Cross-Origin-Opener-Policy: same-origin' \
	'Cross-Origin-Embedder-Policy: require-corp' "Content-Security-Policy: default-src 'self'; script-src 'self'"
answered 'GET /assets/main.js?v=1 HTTP/1.1' 200 'text/javascript' 'export {}'
answered 'GET /library.wasm HTTP/1.1' 200 'application/wasm' 'Content-Length: 4'
answered 'HEAD /library.wasm HTTP/1.1' 200 'Content-Length: 4'
[ "$(tail -c 4 answer | od -An -c | tr -d ' \n')" = '\r\n\r\n' ] || fail "a body after HEAD"
ask "GET /open/$token/a%20tube.glb HTTP/1.1"
tail -c "$(stat -c %s 'a tube.glb')" answer | cmp - 'a tube.glb' || fail "the file is not what it was"
# whoever does not know the address does not get the file
answered 'GET /open/a%20tube.glb HTTP/1.1' 404
answered 'GET /open/00000000000000000000000000000000/a%20tube.glb HTTP/1.1' 404
answered "GET /open/$token HTTP/1.1" 404
answered 'GET /nothing HTTP/1.1' 404
answered 'GET /assets HTTP/1.1' 404
answered 'GET /../secret.txt HTTP/1.1' 400
answered 'GET /%2e%2e/secret.txt HTTP/1.1' 400
answered 'GET /assets/..%2f../../secret.txt HTTP/1.1' 400
answered 'GET /%zz HTTP/1.1' 400
answered 'GET /%00 HTTP/1.1' 400
answered 'GET //secret.txt HTTP/1.1' 400
answered 'POST / HTTP/1.1' 405
answered 'nonsense' 405
ask 'GET / HTTP/1.1' "evil.example:$port"
head -1 answer | grep -q ' 403 ' || fail "answered to another name"
# one that says nothing does not keep others waiting
exec 4<> "/dev/tcp/127.0.0.1/$port"
answered 'GET / HTTP/1.1' 200
# nor does a pipe in the folder, which nobody writes to
mkfifo page/pipe
answered 'GET /pipe HTTP/1.1' 404
# links are not followed, neither the file's nor a folder's
ln -s ../secret.txt page/linked.txt
ln -s .. page/out
answered 'GET /linked.txt HTTP/1.1' 404
answered 'GET /out/secret.txt HTTP/1.1' 404
# a file for the program to read: only for who knows the token, only from the page, and with a body that makes sense
# post NAME BODY-FILE [HEADER...]: the answer is in `answer`
post() {
	local name=$1 body=$2
	shift 2
	exec 3<> "/dev/tcp/127.0.0.1/$port" || { fail "nobody listens at $port"; return; }
	{
		printf 'POST /%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nContent-Length: %s\r\n' "$name" "$port" "$(stat -c %s "$body")"
		[ $# -eq 0 ] || printf '%s\r\n' "$@"
		printf '\r\n'
		cat "$body"
	} >&3
	cat <&3 > answer
	exec 3>&-
}
# status CODE
status() {
	head -1 answer | grep -q " $1 " || fail "wanted $1: $(head -1 answer)"
}
# four bytes, little end first
count() {
	printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))\\x$(printf %02x $(($1 >> 16 & 255)))\\x00"
}
packed() {
	count "${#1}"
	printf %s "$1"
	count "$(stat -c %s "$2")"
	cat "$2"
}
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > three.obj
packed three.obj three.obj > body
post "home/$token/convert" body
status 200
grep -qa glTF answer || fail "no GLB"
post "home/00000000000000000000000000000000/convert" body
status 405
post "home/$token/convert" body 'Origin: http://evil.example'
status 403
post "home/$token/convert" body "Origin: http://127.0.0.1:$port"
status 200
post "home/$token/nothing" body
status 404
packed ../three.obj three.obj > body
post "home/$token/convert" body
status 400
head -c 20 body > short
post "home/$token/convert" short
status 400
printf 'no fbx at all' > broken.fbx
packed broken.fbx broken.fbx > body
post "home/$token/convert" body
status 422
grep -qa posted answer && fail "the answer names a folder: $(tail -1 answer)"
[ -z "$(ls -A posted)" ] || fail "what was posted is left behind: $(ls posted)"
answered "GET /home/$token/live HTTP/1.1" 404
# and a port that is taken is said
run 1 studio --page page --no-open --port "$port"
err 'port' "$port"
# more readers than there are places, who ask for much and take nothing: the next one is answered all the same
head -c 20000000 /dev/zero > page/large.bin
slow=()
for i in $(seq 70); do
	exec {fd}<> "/dev/tcp/127.0.0.1/$port" || { fail "slow reader $i: nobody listens"; break; }
	printf 'GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$port" >&$fd
	slow+=("$fd")
done
answered 'GET / HTTP/1.1' 200 '<title>studio</title>'
for fd in "${slow[@]}"; do exec {fd}>&-; done
# the end does not wait for one whose request never ends
(while printf x >&4 && sleep 0.3; do :; done) 2> /dev/null &
stop
exec 4>&-

# what a page cannot read arrives as GLB
"$SUPPLE" pose builtin:tube --rest -q -o tube.obj || fail "pose"
start tube.obj
path=${address#*file=}
echo "$path" | grep -qE '^open/([0-9a-f]{32})/tube.glb#home=\1$' || fail "address $address"
[ "${path:5:32}" != "$token" ] || fail "the token is the same again"
answered "GET /${path%%#*} HTTP/1.1" 200 'glTF'
stop
# a browser that stays does not keep the port, dies of no Ctrl-C, and can wait for its own children
mkdir bin
cat > bin/xdg-open << 'END'
#!/bin/sh
ls -l /proc/self/fd > sockets
grep SigIgn /proc/self/status > ignored
END
chmod +x bin/xdg-open
PATH=$PWD/bin:$PATH "$SUPPLE" studio --page page > served 2> complaints < /dev/null &
server=$!
for i in $(seq 100); do
	[ -s ignored ] && break
	sleep 0.1
done
grep -q socket: sockets && fail "the browser has our socket"
[ $((0x$(cut -f2 ignored) >> 16 & 1)) -eq 0 ] || fail "the browser ignores SIGCHLD"
stop

start builtin:cow
[ "${address%%#*}" = "http://127.0.0.1:$port/?model=cow" ] || fail "address $address"
stop
finish
