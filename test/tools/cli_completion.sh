#!/usr/bin/env bash
# supple completion and the manual pages: what Tab offers, in real shells, and that every command has its page.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$folder" || exit 1
mkdir bin
ln -s "$SUPPLE" bin/supple
export PATH=$folder/bin:$PATH
run 0 models tube --export . -q
cp tube.glb 'two words.glb'

# ---- what the program offers ----
offers() { # WORDS... -- CANDIDATES: exactly these, in any order
	local words=()
	while [ "$1" != -- ]; do words+=("$1"); shift; done
	shift
	run 0 __complete "${words[@]}"
	diff <(cut -f 1 .stdout | sort) <(printf '%s\n' "$@" | sort) || fail "completion of '${words[*]}'"
}
offers ba -- bake batch
offers help com -- compare completion
offers bake builtin:tube5 -- builtin:tube5 :files
offers bake builtin:tube --clip '' -- bend twist
offers bake tube.glb --clip b -- bend
offers bake --method lbs,la -- lbs,lattice lbs,layered
offers bake tube.glb -o '' -- :files
offers compare --no-gu -- --no-guard
offers completion '' -- bash zsh fish
# damaged, missing and unknown: nothing is offered, nothing is said
head -c 100 tube.glb > cut.glb
for words in "bake cut.glb --clip x" "bake none.glb --clip x" "nosuch x"; do
	run 0 __complete $words
	silent stdout
	silent stderr
done
run 2 completion tcsh
err "tcsh" "bash, zsh or fish"

# ---- shells ----
tab() { # WORDS...: what bash has, one a line; it breaks words at colons
	bash -c 'eval "$(supple completion bash)"; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _supple; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
[ "$(tab supple bake builtin : tube5)" = tube5 ] || fail "bash: builtin:tube5: $(tab supple bake builtin : tube5)"
[ "$(tab supple bake builtin : tube --clip tw)" = twist ] || fail "bash: a clip of a built-in character"
[ "$(tab supple bake two)" = "two words.glb" ] || fail "bash: a file with a space in its name"
[ "$(tab supple inf)" = info ] || fail "bash: a command"
if command -v fish > /dev/null; then
	[ "$(HOME=$folder fish -c 'supple completion fish | source; complete -C "supple bake tube.glb --clip tw"')" = twist ] || fail "fish: a clip"
fi
if command -v zsh > /dev/null; then
	supple completion zsh > _supple
	zsh -n _supple || fail "zsh: syntax"
fi

# ---- manual pages ----
"$SUPPLE_SOURCE/scripts/manual.sh" "$SUPPLE" manual
count=$(ls manual/man1 | wc -l)
supple __complete '' | cut -f 1 | while read -r command; do
	[ "$command" = help ] && continue
	page=manual/man1/supple-$command.1
	[ -s "$page" ] || { echo "no page for $command"; exit 1; }
	supple "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | while read -r option; do
		grep -qF -- "$(sed 's/-/\\-/g' <<< "$option")" "$page" || { echo "$page lacks $option"; exit 1; }
	done || exit 1
done || fail "manual pages (above)"
[ "$count" -gt 16 ] || fail "$count manual pages"
if command -v groff > /dev/null; then
	for page in manual/man1/*; do
		groff -man -Tutf8 -ww "$page" > /dev/null 2> .stderr || fail "$page"
		silent stderr
	done
fi
finish
