#!/bin/sh
# tools/check.sh NN...: runs the stages of `make check`; NN are chapters for diff-NN. A
# stage is one command, usually a make. A failed stage, or one that does not end within
# $limit seconds, does not stop the script. It prints a line per stage that ended, and at
# the end the first and last 100 lines of each failed one, and how many tests passed and
# failed.
set -u
export LC_ALL=C

logs=build/check
mkdir -p "$logs" || exit 1
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# The stages' makes must not use the job server of the make that runs this script.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD CC FILE
# STRICT turns warnings into errors. With REQUIRE=all a part that is left out is an error.
export STRICT=1 REQUIRE=all

# Ctrl-C ends the stages that run. A job in the background ignores SIGINT, so this sends
# SIGTERM.
running=
other=
# shellcheck disable=SC2086,SC2317 # a trap calls it; $other may be empty
ended() {
    kill $running $other 2>/dev/null
    exit 130
}
trap ended INT TERM

limit=1200 # seconds for a stage; the longest takes 400
began=$(date +%s)
# A line per stage: how many tests passed, how many failed, and the log if one failed.
: >"$logs/counts"

stage() {
    name=$1
    shift
    start=$(date +%s)
    timeout -k 20 $limit "$@" >"$logs/$name.log" 2>&1 </dev/null &
    running=$!
    wait "$running"
    status=$?
    [ $status -ne 124 ] || echo "ended after $limit s" >>"$logs/$name.log"
    took=$(($(date +%s) - start))
    [ "$2" = -c ] && again="sh -c '$3'" || again=$*

    # shellcheck disable=SC2046 # must split into two numbers
    set -- $(awk -v status=$status '
        /^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
        END { print p + !(p + f + status), f + (!f && status) }
    ' "$logs/$name.log")
    if [ "$2" -eq 0 ]; then
        printf '%-15s ok     %5d  %4d s\n' "$name" "$1" "$took"
        echo "$1 0" >>"$logs/counts"
    else
        printf '%-15s FAILED %5d  %4d s\n' "$name" "$2" "$took"
        echo "to repeat it: STRICT=1 REQUIRE=all $again" >>"$logs/$name.log"
        echo "$1 $2 $logs/$name.log" >>"$logs/counts"
    fi
}

makes() {
    name=$1
    shift
    stage "$name" "${MAKE:-make}" --no-print-directory -j"$jobs" "$@"
}

# The stage readme runs the tests with cc and the default C++ compiler. The stages gcc-O3
# and sanitize (-O1) compile with other options, because each finds other warnings.
# AMX_CODE=1 compiles for AMX and AVX512-BF16 on machines without them, too.
with_clang() {
    name=$1
    shift
    makes "$name" BUILD=build/clang CC=clang NO_CUDA=1 AMX_CODE=1 "$@"
}

# Many stages use less than two processors, so two or three run at a time. The stages of
# these functions write to folders that no other stage before `wait` uses.
in_own_folders() {
    trap ended TERM
    # Runs the same tests at the same time with busybox's sh, awk, sed and so on.
    mkdir -p build/busybox
    for applet in sh awk sed grep sort tr cut head tail cmp cat wc find xargs \
        mktemp cp mv rm mkdir ln ls expr basename dirname printf; do
        ln -sf "$(command -v busybox)" "build/busybox/$applet"
    done
    # shellcheck disable=SC2016 # the other shell expands the variables
    stage tools sh -c 'PATH=$PWD/build/busybox:$PATH sh tools/test_tools.sh >build/busybox.log 2>&1 &
        sh tools/test_tools.sh; status=$?; wait $! || status=1
        echo "with busybox:"; cat build/busybox.log; exit $status'
    with_clang clang-objects objects
    with_clang clang TEST_LONG=1 test
    makes gcc-O3 BUILD=build/gcc-O3 CC=gcc OPT=-O3 objects
    # grade-03 compiles a submission with the same compiler as the archives, here clang.
    it=03_online_softmax/exercise/merge_parts
    with_clang clang-grade GRADED=$it grade-03 FILE=$it/solution/merge_parts.c
    stage alone sh tools/test_alone.sh
    makes valgrind valgrind QUICK=1
    makes portable lib-tests
}

machine_code() {
    trap ended TERM
    if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
        # sass-check also runs nvcc-hopper, and nvcc_check.sh for sm_80 and sm_86.
        makes sass-check sass-check
        makes gpu-link gpu-link
    fi
    makes ptx-check SHORT=1 ptx-check
    makes plots plots-check
}

# These stages begin after the stage library. By then all that they share with other
# stages is built.
graded() {
    trap ended TERM
    makes grading check-grade
}
published() {
    trap ended TERM
    makes book book-test book-run
    makes torch torch-check
    makes callers lib-callers
}

makes format format-check
makes includes includes
in_own_folders &
other=$!
makes cuda-on-cpu test-cuda-on-cpu
makes cuda-check test-cuda-check
makes rounding test-rounding
makes long test-long
makes cute-check cute-check
makes build programs test-programs flash # what the next stages share
machine_code &
other="$other $!"
makes sanitize sanitize
for number in "$@"; do
    makes "diff-$number" "diff-$number"
done
makes exercises check-exercises
makes faults assurance-faults
makes fuzz SECONDS=20 assurance-fuzz
makes mutants assurance-sample
# shellcheck disable=SC2086 # two processes
wait $other
makes library lib-check
graded &
other=$!
published &
other="$other $!"
makes lab lab-check
makes gpu-stand-ins CARDS="v100 t4" gpu-stand-ins
makes docs docs-check
stage readme sh tools/check_readme.sh README.md
makes spell spell
# shellcheck disable=SC2086
wait $other

failed_logs=$(awk '$2 { printf " %s", $3 }' "$logs/counts")
for log in $failed_logs; do
    printf '\n%s:\n' "$log"
    awk -v lines="$(wc -l <"$log")" '
        NR <= 100 || NR > lines - 100 { print "  | " $0 }
        NR == 101 && lines > 200 { print "  | ..." }
    ' "$log"
done
echo
echo "$(($(date +%s) - began)) s in total; the stages' output is in $logs"
awk '{ passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed }' "$logs/counts"
[ -n "$failed_logs" ] || exit 0
echo "next: read$failed_logs"
exit 1
