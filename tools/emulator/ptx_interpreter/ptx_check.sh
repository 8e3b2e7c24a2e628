#!/bin/sh
# ptx_check.sh LIBRARY PROGRAMS all|short: runs the test programs for a GPU on the
# interpreter, in its modes late and random. Then checks that it finds the gallery's
# mistakes of $planted. LIBRARY is the folder of the interpreter, and PROGRAMS that of
# the test programs, compiled by nvcc. `short` runs the selection for make check.
# shellcheck disable=SC2030,SC2031 # PTX_MODE changes only in subshells
set -u
export LC_ALL=C
programs=$2 how=$3 gallery=$1/gallery card=${CARD:-h100}
LD_LIBRARY_PATH=$1 failed=0
export LD_LIBRARY_PATH PTX_MODE ONLY

# runs PATTERN PROGRAM...: runs those tests of the programs that match PATTERN.
runs() {
    ONLY=$1
    shift
    # shellcheck disable=SC2046 # names without blanks
    sh tools/test.sh $(printf "$programs/tests/test_%s " "$@") || failed=1
}

# in_mode MODE: runs the tests in a mode. False if one fails.
in_mode() (
    PTX_MODE=$1
    [ "$PTX_MODE" = late ] || export PTX_SMS=2
    if [ "$how" = short ]; then
        # A T4 cannot run rung 7: all of its tests would be skipped.
        for step in standard flash1 flash2 $([ "$card" = t4 ] || echo full); do
            runs "$step: *" ladder
        done
        [ "$card" != h100 ] || runs 'pingpong: *' hopper
        runs '' backward_rungs
    else
        # The largest shapes run in one mode only: their float64 reference is slow.
        [ "$PTX_MODE" = late ] && only= || only='!shapes_*'
        hopper=
        [ "$card" != h100 ] || hopper='hopper fp8'
        # shellcheck disable=SC2086 # names
        runs "$only" $hopper ladder backward_rungs
    fi
    exit "$failed"
)
# Each test program uses one processor, so both modes run at the same time.
trap 'kill 0' INT # SIGINT does not end a job in the background
in_mode late >"$programs/late.log" 2>&1 &
in_mode random >"$programs/random.log" 2>&1 || failed=1
wait $! || failed=1
for mode in late random; do
    echo "$mode:"
    cat "$programs/$mode.log"
done

# found NAME: true if the line of the mistake is reported, or if nothing is reported and
# the result has a NaN.
found() {
    # shellcheck disable=SC2046 # a file and three line numbers
    set -- $(awk -v name="[$1]" '
        FNR == 1 || /^\/\* \[/ { if (first) exit; first = $2 == name ? FNR : 0 }
        first { file = FILENAME; end = FNR + 1 }
        first && /<- here/ { here = FNR }
        END { print file, first, end, here }' tools/emulator/cuda_on_cpu/bugs/*_*.cu)
    printed=$("$gallery" "$1" "$2" "$3" 2>&1)
    [ $? = 1 ] && [ "${4-}" ] || return 1
    case $printed in '' | *"${1##*/}:$4"[!0-9]*) ;; *) return 1 ;; esac
}
planted='one_past_the_end ragged_tail hosts_memory null_pointer used_after_free
too_little_shared beyond_a_declared_tile rest_of_the_tile
float4_at_any_address no_barrier warp_sync_for_two_warps
different_numbers_of_turns shuffle_in_a_branch reading_an_absent_lane
half_a_warp_multiplies others_copies issued_too_early
copy_of_a_row_of_odd_length ldmatrix_beyond_the_tile box_not_waited_for
waited_for_the_wrong_phase one_thread_waited no_fence_after_init
bytes_that_never_come every_lane_issues box_not_aligned refilled_too_soon
waits_for_a_full_turn read_before_the_wait group_not_closed
one_group_too_many_left stores_not_fenced beyond_the_tile
block_ends_before_the_product no_group_begins counts_differ too_many_registers'
seen=0 missed=0
export CARD=h100 PTX_MODE=late
"$gallery" || {
    echo "  FAILED  kernel local_memory: the results are wrong"
    failed=1
}
for name in $planted; do
    if found "$name"; then
        seen=$((seen + 1))
    else
        echo "  MISSED $name: $printed"
        missed=$((missed + 1))
    fi
done
echo "$seen mistakes found, $missed missed"
[ "$failed$missed" = 00 ]
