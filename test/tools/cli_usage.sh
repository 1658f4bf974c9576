#!/usr/bin/env bash
# Words: commands, options, help, and what is said about wrong ones.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run 0 --version
out "supple "
run 0 --help
out "Commands:" info pose convert bake render methods models "builtin:NAME" "Exit status:"
silent stderr
run 0 help
out "Commands:"
run 2
err "Commands:"
silent stdout

# help says the same by every way, names every option, and gives examples that start with the command
for command in info pose convert bind rig build inspect bake render methods models; do
	run 0 help "$command"
	cp "$folder/.stdout" "$folder/help"
	out "usage: supple $command" "Examples:" "  supple $command" "Exit status:" --json --quiet --threads --help
	run 0 "$command" --help
	cmp -s "$folder/.stdout" "$folder/help" || fail "supple $command --help differs from supple help $command"
	run 0 "$command" -h
	silent stderr
	longest=$(awk '{ if ( length( $0 ) > most ) most = length( $0 ) } END { print most }' "$folder/help")
	[ "$longest" -le 120 ] || fail "help of $command has a line of $longest characters"
done
run 0 help pose
out --clip --time --rest --skinning --motion --motion-clip --map --in-place --output
run 0 help convert
out --motion --motion-clip --map --name --in-place --output
run 0 help models
out --export

# every word that usage lines and documentation show as an option is one
run 0 help pose
for option in $(grep -oE -e '--[a-z-]+' "$folder/.stdout" | sort -u); do
	grep -qF -e "$option" "$SUPPLE_SOURCE/docs/options.md" || fail "docs/options.md does not mention $option"
done

run 2 inof
err "unknown command 'inof'" "did you mean info?" "supple --help"
run 2 --json info x.glb
err "missing command; put options such as --json after it"
run 2 help frobnicate
err "unknown command 'frobnicate'"
run 2 pose x.glb --clp Run -o y.obj
err "unknown option --clp; did you mean --clip?" "supple help pose"
run 2 pose x.glb --out y.obj
err "unknown option --out; did you mean --output?"
run 0 pose builtin:tube -o="$folder/equals.obj" -q
[ -s "$folder/equals.obj" ] || fail "-o=FILE is not read as -o FILE"
run 2 pose x.glb --zzzzzz -o y.obj
err "unknown option --zzzzzz"
run 2 info x.glb -z
err "unknown option -z"
run 2 info
err "missing FILE"
run 2 info a.glb b.glb
err "unexpected argument 'b.glb'"
run 2 pose builtin:tube
err "missing option: --output"
run 2 pose builtin:tube -o
err "option --output: missing value"
run 2 pose builtin:tube --clip --time 3 -o x.obj
err "option --clip: missing value"
run 2 pose builtin:tube -o x.obj --time soon
err "option --time: expected a number (got 'soon')"
run 2 pose builtin:tube -o x.obj --time nan
err "option --time: expected a number"
run 2 pose builtin:tube -o x.obj --skinning cubic
err "option --skinning: expected one of linear|dual (got 'cubic')"
run 2 pose builtin:tube -o x.obj --clip bend --clip twist
err "option --clip: given twice"
run 2 info builtin:tube --threads 1.5
err "option --threads: expected a whole number from 0 to 1024"
run 2 info builtin:tube --threads=-1
err "option --threads: expected a whole number from 0 to 1024"
run 2 info builtin:tube --json=yes
err "option --json: takes no value"
run 2 pose builtin:tube -o x.obj --rest --clip bend
err "--rest excludes"
run 2 pose builtin:tube -o x.obj --map m.json
err "option --map: requires --motion"
run 2 pose builtin:tube -o x.obj --clip bend --motion m.bvh
err "--clip excludes --motion"
run 2 convert builtin:tube -o x.glb --name walk
err "option --name: put it after --motion"
run 2 convert builtin:tube -o "$folder/x.glb" --motion a.bvh --name b --name c
err "option --name: given twice"

# all ways to write an option, and the end of options
for words in "--output $folder/a.obj --time 0.5" "--output=$folder/a.obj --time=0.5" "-o $folder/a.obj --time .5" "-o$folder/a.obj --time 5e-1"; do
	run 0 pose builtin:tube $words
	silent stderr
	[ -s "$folder/a.obj" ] || fail "supple pose $words: no output"
	cmp -s "$folder/a.obj" "${folder}/first.obj" 2> /dev/null || [ ! -e "$folder/first.obj" ] || fail "$words gives another result"
	mv "$folder/a.obj" "$folder/first.obj"
done
cd "$folder" || exit 1
run 0 convert builtin:tube -o ./-odd.glb -q
silent stdout
run 2 info -odd.glb
err "put -- before"
run 0 info -- -odd.glb
out vertices "bone1, bone2"
run 1 info builtin:
err "supple models"

# a name that would move the cursor or colour the terminal is made harmless
run 1 info $'x\033[2Jy.glb'
grep -q $'\033' "$folder/.stderr" && fail "escape sequence reaches the terminal"

# no colour in a pipe; in a terminal, yes, unless NO_COLOR
run 1 info missing.glb
grep -q $'\033' "$folder/.stderr" && fail "colour in a pipe"
if command -v script > /dev/null; then
	TERM=xterm script -qec "$SUPPLE info missing.glb" "$folder/typed" > /dev/null < /dev/null
	grep -q $'\033\[1;31m' "$folder/typed" || fail "no colour in a terminal"
	NO_COLOR=1 TERM=xterm script -qec "$SUPPLE info missing.glb" "$folder/typed" > /dev/null < /dev/null
	grep -q $'\033' "$folder/typed" && fail "colour with NO_COLOR"
	TERM=dumb script -qec "$SUPPLE info missing.glb" "$folder/typed" > /dev/null < /dev/null
	grep -q $'\033' "$folder/typed" && fail "colour on a dumb terminal"
fi
finish
