#!/bin/sh
# tools/plot.sh CHAPTER... : draws each chapter's plots into $PLOTS (default
# docs/plots). The chapter's program writes the data, plot.gp draws them; it is
# given
#   data   the file that `./run --csv` wrote
#   out    the path to write to, without .svg: out.'.svg' or out.'_more.svg'
#   dumb   1 if PLOT=dumb: draw on the terminal instead, with characters
# A plot is finished and looked at before it takes the old one's place.
set -u
LC_ALL=C
export LC_ALL

build=${BUILD:-build}
plots=${PLOTS:-docs/plots}
log=$build/plot.log

sh tools/need.sh gnuplot || exit 1
mkdir -p "$plots" || exit 1

# draw CHAPTER
draw() {
    data=$build/$1/plot.csv
    new=$build/$1/plots
    if ! "$build/$1/run" --csv >"$data.part" </dev/null; then
        echo "$1: ./run --csv failed" >&2
        return 1
    fi
    mv "$data.part" "$data" || return 1

    if [ "${PLOT-}" = dumb ]; then
        gnuplot -e "dumb=1; data='$data'; out='$new/$1'" "$1/plot.gp"
        return
    fi

    rm -rf "$new" && mkdir -p "$new" || return 1
    # gnuplot goes on after most mistakes, so any word of it counts as one.
    gnuplot -e "data='$data'; out='$new/$1'" "$1/plot.gp" >"$log" 2>&1
    status=$?
    if [ "$status" -ne 0 ] || [ -s "$log" ]; then
        cat "$log" >&2
        echo "$1/plot.gp: gnuplot is not content (exit $status)" >&2
        return 1
    fi
    for file in "$new"/*.svg; do
        if ! grep -q '</svg>' "$file" 2>/dev/null; then
            echo "$1/plot.gp: drew no whole picture (${file##*/})" >&2
            return 1
        fi
    done
    for file in "$new"/*.svg; do
        mv "$file" "$plots/" || return 1
        echo "  drawn   $plots/${file##*/}"
    done
}

failures=0
for chapter in "$@"; do
    draw "$chapter" || failures=$((failures + 1))
done
[ "$failures" -eq 0 ]
