#!/usr/bin/env bash
# compile.sh HEADER COMPILER ...: compiles a file that includes the header, and includes it twice.
set -euo pipefail
header=$1
shift
printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
	"$@" -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -
