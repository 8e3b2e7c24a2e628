#!/bin/sh
# tools/check_lab.sh: do the lab's programs still give what docs/results holds?
# Those that take seconds: the counted and the seeded tables, of the precision
# lab the short run. Other processors and compilers round differently, so they
# are compared by same.awk; twice on this machine must give equal bytes.
set -u
. tools/count.sh

build=${BUILD:-build}
new=$build/lab/check
mkdir -p "$new" || exit 1

# check TABLE FLOOR PROGRAM [ARGUMENT]: errors below FLOOR are all the same.
check() {
    table=$1
    floor=$2
    program=$build/docs/lab/$3
    shift 3
    "$program" "$@" >"$new/$table.tsv" &&
        awk -v name="docs/results/$table.tsv" -v floor="$floor" -v loose=1 \
            -f tools/same.awk "docs/results/$table.tsv" "$new/$table.tsv"
    count $?
    case $table in overflow | row | weights | precision_quick)
        "$program" "$@" | cmp - "$new/$table.tsv"
        count $? ;;
    esac
}

for table in backward_precision desk halves fragments layouts loops overflow \
    race ring schedule sizes sentence timeline weights; do
    check $table 0 $table
done
check row 1e-6 row # of one row: its error is a matter of luck
check precision_quick 0 precision quick
finish "if the change is meant, make lab and copy build/lab to docs/results"
