#!/usr/bin/awk -f
# compare_counts.awk -v tolerance=PERCENT BEFORE.csv NOW.csv: fails where a count of NOW is not within the tolerance of that in
# BEFORE, where one is missing, and where one is new.
BEGIN { FS = "," }
NR == FNR { if ( FNR > 1 ) before[$1] = $2; next }
!( $1 in before ) { printf "%-24s %12d  not in the list: scripts/instructions.sh --update\n", $1, $2; bad = 1; next }
{
	change = 100 * ( $2 / before[$1] - 1 )
	word = change > tolerance ? "  MORE" : change < -tolerance ? "  less: scripts/instructions.sh --update" : ""
	printf "%-24s %12d -> %12d %+6.2f %%%s\n", $1, before[$1], $2, change, word
	bad = bad || word != ""
	delete before[$1]
}
END { for ( name in before ) { print name ": no longer counted"; bad = 1 } exit bad }
