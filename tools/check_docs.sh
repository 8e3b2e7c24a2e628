#!/bin/sh
# tools/check_docs.sh PAGE...: nothing on a page may drift from the code.
#   - each page is woven anew into $BUILD/docs and compared with the committed
#     one: to the letter, but for the size of errors (same.awk)
#   - the plots of PLOTTED are drawn anew, elsewhere, and compared with the
#     committed ones: where another gnuplot drew those, a look is all that is left
#   - the links and images of the pages in LINKED lead somewhere, and the
#     programs that they have their reader type are there by then
#   - what the lab has, pages use
# Nothing outside of $BUILD is changed.
set -u
. tools/count.sh

woven=${BUILD:-build}/docs
fix=

# same_picture OLD NEW: a point of an error may lie a little aside on another
# machine.
same_picture() {
    grep 'Produced by' "$1" >"$tmp/old"
    grep 'Produced by' "$2" | cmp -s - "$tmp/old" || return 0
    awk -v name="$1" -v loose=0.02 -f tools/same.awk "$1" "$2" && return
    fix="make plots"
    return 1
}

for page in "$@"; do
    sh tools/weave.sh -d "$woven" "$page" &&
        awk -v name="$page" -v floor=1.2e-7 -f tools/same.awk "$page" \
            "$woven/$page"
    status=$?
    count $status
    [ $status -eq 0 ] || fix="make docs"
done

PLOTS=
if sh tools/need.sh gnuplot; then
    PLOTS=$woven/plots
    export PLOTS
    rm -rf "$PLOTS"
    for chapter in ${PLOTTED-}; do
        sh tools/plot.sh "$chapter" >/dev/null
        count $?
    done
    for picture in "$PLOTS"/*.svg; do
        same_picture "docs/plots/${picture##*/}" "$picture"
        count $?
    done
    # In characters a name needs more room: these ran into one another.
    PLOT=dumb sh tools/plot.sh 01_naive_softmax | grep -q ' −745 .* −104 .* −17 '
    count $?
else
    echo "plots: not drawn anew"
fi

# shellcheck disable=SC2086 # names of pages, without blanks
sh tools/check_links.sh ${LINKED:-"$@"} >"$woven.links"
count $?
sed '$d' "$woven.links"
# shellcheck disable=SC2086
sh tools/check_typed.sh ${LINKED:-"$@"} >"$woven.typed"
count $?
sed '$d' "$woven.typed"
sh tools/check_orphans.sh "$@" >"$woven.orphans"
count $?
sed '$d' "$woven.orphans"

# Each word of common's that a kernel of 04 to 06 is written in is explained.
# shellcheck disable=SC2013 # words
for word in $(sed -n '/ANCHOR: kernel/,/ANCHOR_END: kernel/p' 0[4-6]_*/*.c |
    sed 's@/\*.*@@' | grep -oE '[A-Za-z_0-9]+\(' | sort -u); do
    ! grep -qF "$word" common/*.h || grep -qF "\`$word" docs/helpers.md
    count $? "docs/helpers.md has no $word)"
done

finish "${fix:-fix what is named above}, then make docs-check"
