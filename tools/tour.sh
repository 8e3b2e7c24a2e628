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
ran=0
failed=0
red=
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

builds() {
    case " ${UNBUILT-} " in
    *" $build/$1/run "*) return 1 ;;
    esac
}

unbuilt() {
    echo "does not build (the compiler's words are above)"
    return 1
}

# part NAME TITLE COMMAND...: shown once it is done.
part() {
    name=$1
    title=$2
    shift 2
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    # A program says how to go on from ./run, which is not yet its own.
    printf '== %s ==\n\n' "$title"
    sed "s|^next: ./run|next: make chapter-${name%%_*} \&\& ./run|" "$log"
    echo
    [ "$status" -eq 0 ] && return
    printf '%s: exit %d\n\n' "$name" "$status"
    red="$red $name"
    return 1
}

draw() {
    for plot in $PLOTTED; do
        # Among characters the chapters' own are enough to scroll through.
        case ${PLOT-}$plot in dumbdocs/*) continue ;; esac
        ! builds "$plot" || sh tools/plot.sh "$plot" || broken=$plot
    done
    [ -z "${broken-}" ]
}

for chapter in "$@"; do
    if builds "$chapter"; then
        ran=$((ran + 1))
        part "$chapter" "$chapter" "$build/$chapter/run"
    else
        part "$chapter" "$chapter" unbuilt
    fi || failed=$((failed + 1))
done

# Chapter 06 on many machines, where MPI is.
[ -z "${RING-}" ] || part ring "06_flash2/ring: 4 ranks" \
    sh 06_flash2/ring/mpirun.sh 4 "$RING"

no_gnuplot=
if sh tools/need.sh gnuplot 2>/dev/null; then
    part plots plots draw
else
    printf '== plots ==\n\nThe plots as we drew them are in docs/plots.\n\n'
    no_gnuplot="plots left out: no gnuplot (sh setup.sh installs it)"
fi

for each in $red; do
    echo "failed: $each"
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
