#!/bin/sh
# tools/plot.sh CHAPTER|SCRIPT...: draws plots into the folder $PLOTS, or build/plots.
#
# For a CHAPTER it runs the chapter's plot.gp on the output of the chapter's program
# with --csv. A SCRIPT is docs/lab/NAME.gp or docs/lab/NAME.awk. Its data is
# docs/results/NAME.tsv or build/lab/NAME.tsv. If LOSS is softmax or attention, draws
# docs/lab/loss.gp with the options N, ROWS, ... instead. With PLOT=dumb gnuplot draws
# with characters. A plot replaces the old one only if the script ran without an error.
# With NEXT=1 the last line names the picture, or the page if there is no picture.
set -u
export LC_ALL=C

build=${BUILD:-build}
plots=${PLOTS:-$build/plots}
log=$build/plot.log

sh tools/require.sh gnuplot || exit 1

# draw CHAPTER|SCRIPT: draws the plots of one argument. Returns 1 after an error.
draw() {
    name=${1##*/}
    name=${name%.*}
    new=$build/$name/plots
    script=$1
    data=docs/results/$name.tsv
    [ -e "$data" ] || data=$build/lab/$name.tsv
    if [ "${LOSS-}" ]; then
        data=$build/loss.tsv
        rm -f "$data"
        "$build/tools/flash/run" precision "$LOSS" --csv ${N:+--n "$N"} \
            ${ROWS:+--rows "$ROWS"} ${TYPES:+--types "$TYPES"} \
            ${REPEAT:+--repeat "$REPEAT"} ${STEPS:+--steps "$STEPS"} \
            ${BC:+--bc "$BC"} ${D:+--d "$D"} >"$build/loss.csv" </dev/null || {
            rm -f "$build/loss.csv"
            return 1
        }
        tr , '\t' <"$build/loss.csv" >"$data"
    fi
    if [ -d "$1" ]; then
        script=$1/plot.gp
        [ -f "$script" ] || { echo "$1: has no plot.gp" >&2; return 1; }
        data=$build/$1/plot.csv
        "$build/$1/run" --csv >"$data" </dev/null ||
            { echo "$1: $1/run --csv failed" >&2; return 1; }
    fi

    rm -rf "$new" && mkdir -p "$new" "$plots" || return 1
    given="data='$data'; out='$new/$name'"
    case ${PLOT-}:$script in
    dumb:*.awk) return 0 ;;
    dumb:*) gnuplot -e "dumb=1; $given" tools/prelude.gp "$script" 2>"$log" ;;
    *.awk)
        awk -v more="$new/$name" -f "$script" "$data" >"$new/$name.svg" 2>"$log"
        ;;
    *) gnuplot -e "$given" tools/prelude.gp "$script" >"$log" 2>&1 ;;
    esac
    status=$?
    # gnuplot continues after most errors, so any message counts as an error, but not the
    # warning about the degree sign in the locale C. With PLOT=dumb only the status counts.
    if grep -v 'degree sign' "$log" >&2 && [ "${PLOT-}" != dumb ] ||
        [ "$status" -ne 0 ]; then
        echo "$script: failed (exit $status)" >&2
        return 1
    fi
    [ "${PLOT-}" = dumb ] || for file in "$new"/*.svg; do
        mv "$file" "$plots/" || return 1
        echo "  drawn   $plots/${file##*/}"
        first=${first:-$plots/${file##*/}}
    done
}

[ -z "${LOSS-}" ] || set -- docs/lab/loss.gp
first=
failed=
for chapter in "$@"; do
    draw "$chapter" || failed=yes
done
[ -z "$failed" ] || exit 1
[ "${NEXT-}" ] || exit 0
page=docs/$name.md
[ -e "$page" ] || page=docs/precision.md
echo "next: open ${first:-$page}"
