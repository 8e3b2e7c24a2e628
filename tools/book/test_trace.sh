#!/bin/sh
# tools/book/test_trace.sh: the steppers' numbers are those of the chapters'
# programs: of `./run --trace`, and of the traffic that `./run --csv` counts; so
# are the bytes of README's race. And what the landing page links to is there.
set -u
. tools/count.sh

build=${BUILD:-build}
steps=$build/book_parts/steps

# Of online softmax, state by state.
states() {
    "$steps" online all 0.1 0.5 0.4 0.2 0.3 0.3 |
        sed -n '/<td>/!d; s/<[^>]*>/ /g; p' >"$tmp/ours"
    "$build/03_online_softmax/run" --trace --step online_softmax |
        awk 'NF == 6 && /^[0-9]/' >"$tmp/theirs"
    for file in ours theirs; do
        awk '{ print $1, $2 + 0, $3 + 0, $4, $5, $6 }' "$tmp/$file" \
            >"$tmp/$file.states"
    done
    [ -s "$tmp/theirs" ] && diff "$tmp/ours.states" "$tmp/theirs.states"
}
must "the states are those of --trace" states

# counted KIND STEP STEP COLUMN=ROW...: of ragged tiles the rows of a stepper's
# table are the columns that the program counts of these two steps.
counted() {
    kind=$1
    "$steps" "$kind" all 100 33 3000 | tr -d , | sed -n \
        's|<tr><th>\(.*\)</th><td>\(.*\)</td><td>\(.*\)</td></tr>|\1 \2 \3|p' \
        >"$tmp/ours"
    # shellcheck disable=SC2086 # an option, or none
    "$build/06_flash2/run" $way --n 100 --d 33 --sram 3000 --seed 1 --csv \
        >"$tmp/csv"
    one=$2
    two=$3
    shift 3
    for pair; do
        row=$(awk -F, -v column="${pair%%=*}" -v one="$one" -v two="$two" '
            NR == 1 { for (n = 1; n <= NF; n++) if ($n == column) at = n }
            $1 == one { a = $at }
            $1 == two { print a, $at }' "$tmp/csv")
        grep -xF "${pair#*=} $row" "$tmp/ours" && [ -n "$row" ] || {
            echo "$kind: ${pair#*=} is not $row"
            return 1
        }
    done
}
way=
must "the traffic of both is what the program counts" counted tiles flash1 \
    flash2 "hbm_read=read so far" "hbm_written=written so far" \
    "init=first values of O l m" "L=L where the formula leaves it out" \
    "formula=moved in all by formula" "onchip=tiles on chip"
way=--backward
must "and on the way back" counted backward flash2_backward \
    two_kernel_backward "hbm_read=elements read so far" \
    "hbm_written=elements written so far" "formula=moved in all by formula" \
    "onchip=tiles on chip"

# All heads of the bundled layer move the same.
for step in standard_attention flash1 flash2; do
    bytes=$("$build/06_flash2/run" --q common/data/q.npy \
        --k common/data/k.npy --v common/data/v.npy --step $step --csv |
        awk -F, 'NR > 1 { printf "%d", 4 * ($11 + $12) / $3 }')
    must "the race's bytes of $step are the program's: $bytes" \
        grep -q "<desc.* $bytes[,.]" docs/plots/race.svg
done

drawn() {
    awk -f docs/lab/race.awk docs/results/race.tsv | cmp - docs/plots/race.svg
}
must "the race is drawn from its data" drawn

links() {
    grep -o '\(href\|src\)="[^"#:]*["#]' "$build/site/index.html" |
        sed 's/.*="//; s/["#]$//; /^$/d' | sort -u >"$tmp/links"
    [ "$(grep -c '^book/' "$tmp/links")" -ge 10 ] || return 1
    while read -r link; do
        [ -e "$build/site/$link" ] || { echo "$link: not there" && return 1; }
    done <"$tmp/links"
}
must "the landing page's links lead somewhere" links
finish
