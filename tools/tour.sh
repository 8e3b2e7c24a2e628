#!/bin/sh
# tools/tour.sh CHAPTER...: runs every chapter's program on the bundled data, then draws
# the plots of the chapters in PLOTTED. Without gnuplot it draws no plots. After a failure
# it continues. UNBUILT lists the programs that did not build; they count as failed. RING
# is the path of the ring's program, or empty without MPI. left_out.sh describes LEFT_OUT.
set -u
export LC_ALL=C

build=${BUILD:-build}
ran=0
failures=
no_gnuplot=
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# part NAME COMMAND...: runs the command, then prints its output. Replaces `./run` after
# `next:` in the output, because ./run is no link to the chapter's program yet.
part() {
    name=$1
    printf '== %s ==\n\n' "$name"
    shift
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    sed -E "s#^(next|  or): ./run#\1: make chapter-${name%%_*} \&\& ./run#" "$log"
    echo
    [ "$status" -eq 0 ] && return
    printf '%s: exit %d\n\n' "$name" "$status"
    failures="$failures $name"
}

[ -e run ] || ln -sfn tools/not_built.sh run
for chapter in "$@"; do
    case " ${UNBUILT-} " in
    *" $build/$chapter/run "*)
        part "$chapter" sh -c 'echo "does not build (see above)"; exit 1' ;;
    *) ran=$((ran + 1)) && part "$chapter" "$build/$chapter/run" ;;
    esac
done
failed=$(printf '%s\n' $failures | grep -c .)
[ -z "${RING-}" ] || part ring sh 06_flash2/ring/mpirun.sh 4 "$RING"
if sh tools/require.sh gnuplot 2>/dev/null; then
    # shellcheck disable=SC2086 # must split into names
    part plots sh tools/plot.sh $PLOTTED
else
    printf '== plots ==\n\ndocs/plots contains plots that were drawn before.\n\n'
    no_gnuplot="plots left out: no gnuplot (sh setup.sh installs it)"
fi

# shellcheck disable=SC2086 # must split into names
[ -z "$failures" ] || printf 'failed: %s\n' $failures
echo "$# chapters: $ran ran, $failed failed"
sh tools/left_out.sh "$no_gnuplot" || failures="${failures:- left}"
case ${failures# } in
0*) echo "next: make chapter-$(echo "${failures# }" | cut -c 1-2) && ./run" ;;
*) echo "next: open docs/index.md" ;;
esac
[ -z "$failures" ]
