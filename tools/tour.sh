#!/bin/sh
# tools/tour.sh CHAPTER...: every chapter's lesson, on the bundled data, then
# the plots of PLOTTED: the chapters' from what they just counted, the lab's
# from docs/results. Goes on without gnuplot, in a pipe, and after a failure.
# A chapter whose program is named in UNBUILT does not build: it counts as
# failed. RING, if set, is ring/'s program (MPI). LEFT_OUT says what this machine
# cannot do (tools/left_out.sh).
set -u
export LC_ALL=C

build=${BUILD:-build}
drawn=$build/tour
ran=0
red=
nth=0
trap 'kill ${drawing-} 2>/dev/null; exit 130' INT TERM

# On a terminal, one line that says how far it is; it is wiped afterwards.
progress() {
    [ -t 2 ] && [ "${TERM-}" != dumb ] && printf '\r\033[K%s' "$1" >&2
}

builds() {
    case " ${UNBUILT-} " in
    *" $build/$1/run "*) return 1 ;;
    esac
}

# Into $drawn, which ends with a line that counts the failures.
draw() {
    failed=0
    for plot in $PLOTTED; do
        # Among characters the chapters' own are enough to scroll through.
        case ${PLOT-}$plot in dumbdocs/*) continue ;; esac
        builds "$plot" || continue
        sh tools/plot.sh "$plot" 2>&1 || failed=$((failed + 1))
    done
    echo "$failed"
}

# A chapter's program says how to go on from ./run, which is not yet its own.
lesson() {
    "$build/$1/run" >"$build/$1/lesson" 2>&1 </dev/null
    status=$?
    sed "s|^next: ./run|next: make chapter-${1%%_*} \&\& ./run|" \
        "$build/$1/lesson"
    return "$status"
}

for chapter in "$@"; do
    nth=$((nth + 1))
    progress "[$nth/$#] $chapter ..."
    # The last chapter times nothing, so the plots are drawn beside it.
    if [ "$nth" -eq $# ] && sh tools/need.sh gnuplot 2>/dev/null; then
        draw >"$drawn" </dev/null &
        drawing=$!
    fi
    if builds "$chapter"; then
        output=$(lesson "$chapter")
        status=$?
        ran=$((ran + 1))
        [ "$status" -eq 0 ] || output="$output

$chapter: exit $status"
    else
        output="$chapter: does not build (the compiler's words are above)"
        status=1
    fi
    progress ''
    echo "== $chapter =="
    echo
    echo "$output"
    echo
    [ "$status" -eq 0 ] || red="$red $chapter"
done

# Chapter 06 on many machines, where MPI is.
if [ -n "${RING-}" ]; then
    progress "ring ..."
    output=$(sh 06_flash2/ring/mpirun.sh 4 "$RING" 2>&1 </dev/null) ||
        red="$red ring"
    progress ''
    printf '== 06_flash2/ring: 4 ranks ==\n\n%s\n\n' "$output"
fi

no_gnuplot=
echo "== plots =="
echo
if [ -n "${drawing-}" ]; then
    progress "drawing ..."
    wait "$drawing"
    progress ''
    sed '$d' "$drawn"
    [ "$(tail -n 1 "$drawn")" -eq 0 ] || red="$red plots"
else
    echo "The plots as we drew them are in docs/plots."
    no_gnuplot="plots left out: no gnuplot (sh setup.sh installs it)"
fi

echo
failed=0
for each in $red; do
    echo "failed: $each"
    case $each in
    plots | ring) ;;
    *) failed=$((failed + 1)) ;;
    esac
done
echo "$# chapters: $ran ran, $failed failed"
case $red in
" "0*) # the first chapter that failed
    first=${red# }
    echo "next: make chapter-${first%%_*} && ./run"
    ;;
*) echo "next: open docs/pictures.md (all of these), then docs/index.md" ;;
esac
sh tools/left_out.sh "$no_gnuplot" && [ -z "$red" ]
