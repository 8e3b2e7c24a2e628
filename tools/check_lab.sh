#!/bin/sh
# tools/check_lab.sh: does the precision lab still give what docs/results holds?
# Those of its lines that take seconds, found there by what was asked, which is
# the first eleven columns. Other processors and compilers round differently, so
# they are compared by same.awk; twice on this machine must give equal bytes.
set -u
. tools/count.sh

precision=${BUILD:-build}/docs/lab/precision
kept=docs/results/precision.tsv

"$precision" quick >"$tmp/new"
count $? "precision quick"
awk -F '\t' '
    { asked = ""; for (k = 1; k <= 11; k++) asked = asked FS $k }
    FNR == NR { now[asked]; next }
    asked in now' "$tmp/new" "$kept" >"$tmp/old"
awk -v name="$kept, its quick lines" -v loose=0.001 -f tools/same.awk "$tmp/old" \
    "$tmp/new"
count $? "$kept"
"$precision" quick | cmp - "$tmp/new"
count $? "precision quick, twice"
finish "if the change is meant: make lab-precision, and copy it to docs/results"
