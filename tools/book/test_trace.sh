#!/bin/sh
# tools/book/test_trace.sh: the steppers' numbers are those of the chapters'
# programs: of `./run --trace`, and of the traffic that `./run --csv` counts.
set -u

build=${BUILD:-build}
steps=$build/book_parts/steps
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
status=0

# same WHAT: is $tmp/ours $tmp/theirs?
same() {
    [ -s "$tmp/theirs" ] && cmp -s "$tmp/ours" "$tmp/theirs" && return
    echo "$1: the stepper (<) and the program (>) differ:"
    diff "$tmp/ours" "$tmp/theirs"
    status=1
}

# cells: the numbers of a table's rows, blanks between; 0.50000 as 0.5.
cells() {
    sed -n '/<td>/!d; s/<td>/ /g; s/<tr[^>]*>//g; s/,//g; s/<[^>]*>//g; s/^ //; /^[0-9]/p'
}

"$steps" online all 0.1 0.5 0.4 0.2 0.3 0.3 | cells |
    awk '{ print $1, $2 + 0, $3 + 0, $4, $5, $6 }' >"$tmp/ours"
"$build/03_online_softmax/run" --trace --step online_softmax |
    awk 'NF == 6 && /^[0-9]/ { print $1, $2 + 0, $3 + 0, $4, $5, $6 }' \
        >"$tmp/theirs"
same "online softmax, state by state"

# Counted traffic of ragged tiles, as the program counts it.
sizes='100 33 3000'
# shellcheck disable=SC2086 # three numbers
"$steps" tiles all $sizes | tr -d , |
    awk -F'<t[dh]>|</t[dh]>' '
        match($0, /Br = [0-9]+ Bc = [0-9]+/) {
            split(substr($0, RSTART, RLENGTH), word, " ")
            Br[++n] = word[3]; Bc[n] = word[6]
        }
        { a[$2] = $4; b[$2] = $6 }
        END {
            print Br[1], Bc[1], a["read so far"], a["written so far"], \
                a["first values of O l m"], a["L where the formula leaves it out"], \
                a["moved in all by formula"], a["tiles on chip"]
            print Br[2], Bc[2], b["read so far"], b["written so far"], \
                b["first values of O l m"], b["L where the formula leaves it out"], \
                b["moved in all by formula"], b["tiles on chip"]
        }' >"$tmp/ours"
"$build/06_flash2/run" --n 100 --d 33 --sram 3000 --seed 1 --csv |
    awk -F, '
        NR == 1 { for (n = 1; n <= NF; n++) at[$n] = n; next }
        $1 == "flash1" || $1 == "flash2" {
            print $at["Br"], $at["Bc"], $at["hbm_read"], $at["hbm_written"], \
                $at["init"], $at["L"], $at["formula"], $at["onchip"]
        }' >"$tmp/theirs"
same "tiles, N = 100, d = 33, M = 3000"

# And of the way back: what is read and written at the last visit is all.
# shellcheck disable=SC2086 # three numbers
"$steps" backward all $sizes | tr -d , |
    awk -F'<t[dh]>|</t[dh]>' '
        { a[$2] = $4; b[$2] = $6 }
        END {
            print a["elements read so far"], a["elements written so far"], \
                a["moved in all by formula"], a["tiles on chip"]
            print b["elements read so far"], b["elements written so far"], \
                b["moved in all by formula"], b["tiles on chip"]
        }' >"$tmp/ours"
"$build/06_flash2/run" --backward --n 100 --d 33 --sram 3000 --seed 1 --csv |
    awk -F, '
        NR == 1 { for (n = 1; n <= NF; n++) at[$n] = n; next }
        $1 == "flash2_backward" || $1 == "two_kernel_backward" {
            print $at["hbm_read"], $at["hbm_written"], $at["formula"], \
                $at["onchip"]
        }' >"$tmp/theirs"
same "the way back, N = 100, d = 33, M = 3000"

exit $status
