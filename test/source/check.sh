#!/usr/bin/env bash
# check.sh ROOT: what holds for every file of ROOT/src.
# - Includes point only downwards: a folder includes itself and the folders before it in the list below. The same holds
#   for the folders within src/volume and src/io; methods do not include each other.
# - Other people's libraries are included in src/io and src/draw alone; the rest needs the C library and POSIX threads.
# - No function of libm whose last bit is up to the C library (trigonometry, exp, pow): results are the same bits
#   everywhere. sqrt, floor, ldexp and the like are exact and allowed.
# - Every file starts with its licence.
set -euo pipefail
cd "$1/src"

find . -name '*.[ch]' | sed 's,^\./,,' | LC_ALL=C sort | xargs awk '
BEGIN {
	count = split( "core device math linear character geometry decompose volume contact attach method scene io bake batch draw", folders )
	for ( i = 1; i <= count; ++i ) rank[folders[i]] = i
	count = split( "volume/voxels volume/tets volume/body volume/weights volume/binding volume/softness volume/lattice " \
	               "io/common io/settings io/gltf io/assimp io/motion io/tets io/cache io", inner )
	for ( i = 1; i <= count; ++i ) inner_rank[inner[i]] = i
	# the public header of a folder stands with it
	split( "base:core device:device math:math character:character decompose:decompose flesh:volume rig:volume contact:contact scene:scene looks:scene io:io bake:bake supple:draw", pairs )
	for ( i in pairs ) { split( pairs[i], pair, ":" ); rank["supple/" pair[1] ".h"] = rank[pair[2]] }
	split( "assert ctype errno float inttypes limits math setjmp signal stdarg stdatomic stdbool stddef stdint stdio " \
	       "stdlib string time pthread unistd sched sys/stat sys/types fcntl dirent dlfcn", names )
	for ( i in names ) system_header[names[i] ".h"] = 1
	inexact = "(a?(sin|cos|tan)h?|atan2|sincos|exp|exp2|expm1|exp10|log|log2|log10|log1p|pow|cbrt|hypot|erfc?|[lt]gamma)[fl]?"
}
function Complain( text ) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
FNR == 1 {
	folder = FILENAME
	sub( "/.*", "", folder )
	if ( !( folder in rank ) && !( folder in told ) ) { told[folder] = bad = 1; print folder ": not in the list of folders" }
	if ( $0 !~ /SPDX-License-Identifier/ ) Complain( "no SPDX line" )
	inside = 0
}
{
	# comments out; a line-wise view is enough for this source
	line = $0
	if ( inside ) { if ( !sub( /^.*\*\//, "", line ) ) next; inside = 0 }
	sub( /\/\/.*/, "", line )
	while ( match( line, /\/\*[^*]*\*\// ) ) line = substr( line, 1, RSTART - 1 ) substr( line, RSTART + RLENGTH )
	if ( sub( /\/\*.*/, "", line ) ) inside = 1
}
line ~ /^[ \t]*#[ \t]*include[ \t]*"/ {
	split( line, part, "\"" )
	target = part[2]
	key = target
	if ( key !~ /^supple\// ) sub( "/.*", "", key )
	if ( !( key in rank ) ) Complain( "unknown folder in " target )
	else if ( rank[key] > rank[folder] ) Complain( folder " may not include " target )
	else if ( key == folder ) {
		from = FILENAME
		sub( "/[^/]*$", "", from )
		to = target
		sub( "/[^/]*$", "", to )
		if ( key == "method" && from != to && from != "method" && to != "method" ) Complain( from " may not include " target )
		if ( key == "volume" || key == "io" ) {
			if ( !( from in inner_rank ) ) Complain( from " is not in the list of folders" )
			else if ( inner_rank[to] > inner_rank[from] ) Complain( from " may not include " target )
		}
	}
}
line ~ /^[ \t]*#[ \t]*include[ \t]*</ {
	target = line
	sub( /^[^<]*</, "", target )
	sub( />.*/, "", target )
	if ( !( target in system_header ) && folder != "io" && folder != "draw" )
		Complain( "only src/io and src/draw may include " target )
}
line !~ /^[ \t]*#/ {
	rest = line
	gsub( /"([^"\\]|\\.)*"/, "", rest )
	while ( match( rest, "(^|[^A-Za-z0-9_])(__builtin_)?" inexact "[ \t]*\\(" ) ) {
		call = substr( rest, RSTART, RLENGTH )
		gsub( /[^A-Za-z0-9_]/, "", call )
		Complain( call " differs between C libraries; supple/math.h has its own" )
		rest = substr( rest, RSTART + RLENGTH )
	}
}
END { exit bad }
'
