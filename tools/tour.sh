#!/bin/sh
# tools/tour.sh CHAPTER...: every chapter's lesson, on the bundled data, then
# the plots of PLOTTED: the chapters' from what they just counted, the lab's
# from docs/results. Goes on without gnuplot, in a pipe, and after a failure.
set -u
export LC_ALL=C

build=${BUILD:-build}
drawn=$build/tour
failures=0
nth=0
trap 'kill ${drawing-} 2>/dev/null; exit 130' INT TERM

# On a terminal, one line that says how far it is; it is wiped afterwards.
progress() {
    [ -t 2 ] && [ "${TERM-}" != dumb ] && printf '\r\033[K%s' "$1" >&2
}

# Into $drawn, which ends with a line that counts the failures.
draw() {
    failed=0
    for plot in $PLOTTED; do
        # Among characters the chapters' own are enough to scroll through.
        case ${PLOT-}$plot in dumbdocs/*) continue ;; esac
        sh tools/plot.sh "$plot" 2>&1 || failed=$((failed + 1))
    done
    echo "$failed"
}

for chapter in "$@"; do
    nth=$((nth + 1))
    progress "[$nth/$#] $chapter ..."
    # The last chapter times nothing, so the plots are drawn beside it.
    if [ "$nth" -eq $# ] && sh tools/need.sh gnuplot 2>/dev/null; then
        draw >"$drawn" </dev/null &
        drawing=$!
    fi
    output=$("$build/$chapter/run" 2>&1 </dev/null)
    status=$?
    progress ''
    echo "== $chapter =="
    echo
    echo "$output"
    echo
    if [ "$status" -ne 0 ]; then
        echo "$chapter: exit $status"
        failures=$((failures + 1))
    fi
done

echo "== plots =="
echo
if [ -n "${drawing-}" ]; then
    progress "drawing ..."
    wait "$drawing"
    progress ''
    sed '$d' "$drawn"
    failures=$((failures + $(tail -n 1 "$drawn")))
else
    echo "No gnuplot here, so nothing was drawn (sh setup.sh installs it)."
    echo "The plots as we drew them are in docs/plots."
fi

echo
echo "$# chapters, $failures failed"
echo "next: open docs/pictures.md (all of these), then docs/index.md"
[ "$failures" -eq 0 ]
