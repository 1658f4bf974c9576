#!/usr/bin/env bash
# manual.sh SUPPLE FOLDER: manual pages (FOLDER/man1) and completions for bash, zsh and fish, as the program writes them.
set -euo pipefail
mkdir -p "$2/man1"
"$1" help --man > "$2/man1/supple.1"
"$1" __complete "" | cut -f 1 | grep -vx help | while read -r command; do
	"$1" help --man "$command" > "$2/man1/supple-$command.1"
done
"$1" completion bash > "$2/supple.bash"
"$1" completion zsh > "$2/_supple"
"$1" completion fish > "$2/supple.fish"
