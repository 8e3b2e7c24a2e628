#!/bin/sh
# tools/tour.sh CHAPTER...: every chapter's lesson, on the bundled data, then
# the plots of PLOTTED from what they just counted. Goes on without gnuplot, in a
# pipe, and after a failure. A chapter whose program is named in UNBUILT does not
# build: it counts as failed. RING, if set, is ring/'s program (MPI). LEFT_OUT
# says what this machine cannot do (tools/left_out.sh).
set -u
export LC_ALL=C

build=${BUILD:-build}
ran=0
failed=0
red=
no_gnuplot=
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# part NAME TITLE COMMAND...: shown once it is done. A program says how to go on
# from ./run, which is not yet its own.
part() {
    name=$1
    printf '== %s ==\n\n' "$2"
    shift 2
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    sed "s|^next: ./run|next: make chapter-${name%%_*} \&\& ./run|" "$log"
    echo
    [ "$status" -eq 0 ] && return
    printf '%s: exit %d\n\n' "$name" "$status"
    red="$red $name"
    return 1
}

unbuilt() {
    echo "does not build (the compiler's words are above)"
    return 1
}

for chapter in "$@"; do
    program=$build/$chapter/run
    case " ${UNBUILT-} " in
    *" $program "*) program=unbuilt ;;
    *) ran=$((ran + 1)) ;;
    esac
    part "$chapter" "$chapter" "$program" || failed=$((failed + 1))
done

# Chapter 06 on many machines, where MPI is.
[ -z "${RING-}" ] || part ring "06_flash2/ring: 4 ranks" \
    sh 06_flash2/ring/mpirun.sh 4 "$RING"

if sh tools/need.sh gnuplot 2>/dev/null; then
    # shellcheck disable=SC2086 # names
    part plots plots sh tools/plot.sh $PLOTTED
else
    printf '== plots ==\n\nThe plots as we drew them are in docs/plots.\n\n'
    no_gnuplot="plots left out: no gnuplot (sh setup.sh installs it)"
fi

# shellcheck disable=SC2086 # names
[ -z "$red" ] || printf 'failed: %s\n' $red
echo "$# chapters: $ran ran, $failed failed"
first=${red# } # that failed
case $first in
0*) echo "next: make chapter-${first%%_*} && ./run" ;;
*) echo "next: open docs/pictures.md (these and more), then docs/index.md" ;;
esac
sh tools/left_out.sh "$no_gnuplot" && [ -z "$red" ]
