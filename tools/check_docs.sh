#!/bin/sh
# tools/check_docs.sh PAGE...: nothing on a page may drift from the code.
#   - each page is woven anew into $BUILD/docs and compared with the committed
#     one: to the letter, but for the size of errors (same.py)
#   - the plots of PLOTTED are drawn anew, elsewhere, and compared with the
#     committed ones: where another gnuplot drew those, a look is all that is left
#   - the notebook is as nbformat's schema says
#   - the links and images of the pages in LINKED lead somewhere
#   - every picture, program, table and result of the lab has a page that uses it
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
    python3 tools/same.py "$1" "$2" loose=0.02 && return
    fix="make plots"
    return 1
}

# All at once, as what they ask for is asked on all processors.
for page in "$@"; do rm -f "$woven/$page"; done
sh tools/weave.sh -d "$woven" "$@"
for page in "$@"; do
    [ -e "$woven/$page" ] &&
        python3 tools/same.py "$page" "$woven/$page" floor=1.2e-7
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
else
    echo "plots: not drawn anew"
fi

if sh tools/need.sh nbformat; then
    /usr/bin/python3 -c 'import nbformat
nbformat.validate(nbformat.read("docs/colab.ipynb", as_version=4))'
    count $?
else
    echo "docs/colab.ipynb: not compared with nbformat's schema"
fi

# shellcheck disable=SC2086 # names of pages, without blanks
python3 tools/check_links.py ${LINKED:-"$@"} >"$woven.links"
count $?
sed '$d' "$woven.links"

# docs/results/README.md counts for a program alone.
for page in "$@"; do
    case $page in
    docs/results/README.md) cat "$page" >>"$tmp/lists" ;;
    *) cat "$page" >>"$tmp/pages" ;;
    esac
done
# used FILE PATTERN [LISTS]: is that on a page, or on these?
used() {
    cat "$tmp/pages" ${3+"$tmp/lists"} | grep -qE "$2"
    count $? "$1: no page has it: give it a page, or delete it"
}
for picture in docs/plots/*.svg; do
    used "$picture" "plots/${picture##*/}"
done
for script in docs/lab/*.gp; do
    used "$script" "plots/$(basename "$script" .gp)[_.]"
done
for program in $(grep -l '^int main' docs/lab/*.c | grep -v /test_); do
    used "$program" "(lab[/-]|make (assurance-)?)$(basename "$program" .c)\b" too
done
for table in $(python3 docs/lab/tables.py 2>&1 | sed 's/.*of: //; s/[,)]//g'); do
    used "docs/lab/tables.py $table" "tables.py $table\b"
done
for result in docs/results/*.t*; do
    name=$(basename "${result%.*}")
    head -n 1 "$result" | grep -q '^card' || # whatever card came back
        [ -e "docs/lab/$name.gp" ] || grep -q "\"$name\"" docs/lab/tables.py ||
        used "$result" "results/$name\b|tables.py changed $name"
done

# Each word of common's that a kernel of 04 to 06 is written in is explained.
# shellcheck disable=SC2013 # words
for word in $(sed -n '/ANCHOR: kernel/,/ANCHOR_END: kernel/p' 0[4-6]_*/*.c |
    sed 's@/\*.*@@' | grep -oE '[A-Za-z_0-9]+\(' | sort -u); do
    ! grep -qF "$word" common/*.h || grep -qF "\`$word" docs/glossary.md
    count $? "docs/glossary.md has no $word)"
done

finish "${fix:-fix what is named above}, then make docs-check"
