#!/bin/sh
# tools/plot.sh CHAPTER|SCRIPT... : draws plots into $PLOTS (default
# docs/plots). A chapter's program writes the data, its plot.gp draws them; a
# script docs/lab/NAME.gp draws docs/results/NAME.tsv, as docs/lab/NAME.awk does
# without gnuplot. A gnuplot script is given
#   data   the file that `./run --csv` wrote, or the .tsv
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

# draw CHAPTER|SCRIPT
draw() {
    name=${1##*/}
    name=${name%.*}
    new=$build/$name/plots
    if [ "$name" != "${1##*/}" ]; then
        script=$1
        data=docs/results/$name.tsv
    else
        script=$1/plot.gp
        data=$build/$1/plot.csv
        if ! "$build/$1/run" --csv >"$data.part" </dev/null; then
            echo "$1: ./run --csv failed" >&2
            return 1
        fi
        mv "$data.part" "$data" || return 1
    fi

    # That a plain locale has no degree sign is no loss.
    if [ "${PLOT-}" = dumb ]; then
        [ "${script%.awk}" = "$script" ] || return 0
        gnuplot -e "dumb=1; data='$data'; out='$new/$name'" "$script" 2>"$log"
        status=$?
        grep -v 'degree sign' "$log" >&2
        return "$status"
    fi

    rm -rf "$new" && mkdir -p "$new" || return 1
    case $script in
    *.awk) awk -f "$script" "$data" >"$new/$name.svg" 2>"$log" ;;
    *) gnuplot -e "data='$data'; out='$new/$name'" "$script" >"$log" 2>&1 ;;
    esac
    status=$?
    # gnuplot goes on after most mistakes, so any word of it counts as one.
    if [ "$status" -ne 0 ] || grep -qv 'degree sign' "$log"; then
        cat "$log" >&2
        echo "$script: drew no whole picture (exit $status)" >&2
        return 1
    fi
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
