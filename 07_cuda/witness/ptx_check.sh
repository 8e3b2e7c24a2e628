#!/bin/sh
# ptx_check.sh WITNESS PROGRAMS all|short: the GPU's test programs on the
# interpreter in WITNESS, in both of its modes; then mistakes, each of which it
# must see. PROGRAMS is where nvcc's are; `short` is what make check has time for.
set -u
export LC_ALL=C
programs=$2 how=$3 mistakes=$1/mistakes card=${CARD:-h100}
LD_LIBRARY_PATH=$1 failed=0
export LD_LIBRARY_PATH PTX_MODE PTX_THREADS ONLY

# runs ONLY PROGRAM...: those of their tests whose names are like that.
runs() {
    ONLY=$1
    shift
    # shellcheck disable=SC2046 # names without blanks
    sh tools/test.sh $(printf "$programs/tests/test_%s " "$@") || failed=1
}

for PTX_MODE in late random; do
    echo "$PTX_MODE:"
    if [ "$how" = short ]; then
        PTX_THREADS=2
        for step in flash1 flash2 full; do
            runs "$step: *" ladder
        done
        [ "$card" != h100 ] || runs 'pingpong: *' hopper
        runs '' backward_rungs
    else
        PTX_THREADS=1
        # The largest shapes are float64's work, once.
        [ "$PTX_MODE" = late ] && only= || only='!shapes_*'
        hopper=
        [ "$card" != h100 ] || hopper='hopper fp8'
        # shellcheck disable=SC2086 # names
        runs "$only" $hopper ladder backward_rungs
    fi
done

# Each mistake must be seen, and the same kernel without it must be right.
seen=0 missed=0
export CARD=h100
for name in $("$mistakes"); do
    if "$mistakes" "$name" right && ! "$mistakes" "$name" wrong; then
        seen=$((seen + 1))
    else
        echo "  MISSED $name"
        missed=$((missed + 1))
    fi
done >"$programs/mistakes.log" 2>&1
grep MISSED "$programs/mistakes.log"
echo "$seen passed, $missed failed"
[ "$failed$missed" = 00 ]
