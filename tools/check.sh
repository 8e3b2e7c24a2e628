#!/bin/sh
# tools/check.sh NN...: all that must hold. Each stage is a make of its own, in
# the reader's build folder or, with other flags, in one of its own; and all of
# them run, whatever fails: one line each, and the output of those that fail (200
# lines of it). The end adds up what the stages counted (a stage that counts
# nothing counts as one).
set -u
export LC_ALL=C

make=${MAKE:-make}
logs=build/check
mkdir -p "$logs" || exit 1
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# The stages are not part of the make that called: no jobs in common.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD CC FILE
# A warning is an error here, and nothing may be left out.
export STRICT=1 REQUIRE=all

passed=0
failed=0
red=
began=$(date +%s)

# stage NAME COMMAND...
stage() {
    name=$1
    shift
    again=$(echo "$*" | sed -e 's|^in_busybox|busybox sh tools/test_tools.sh|' \
        -e 's|^made|make STRICT=1|' \
        -e 's|^in_folder \([^ ]*\)|make STRICT=1 BUILD=build/\1 CC=|; s|CC= |CC=|')
    start=$(date +%s)
    printf '%-22s ' "$name"
    "$@" >"$logs/$name.log" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - start))

    # shellcheck disable=SC2046 # two numbers
    set -- $(awk -v status=$status '
        /^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
        END { print p + !(p + f + status), f + (!f && status) }
    ' "$logs/$name.log")
    passed=$((passed + $1))
    failed=$((failed + $2))
    if [ "$2" -eq 0 ]; then
        printf 'ok     %5d  %4d s\n' "$1" "$took"
    else
        red="$red $logs/$name.log"
        printf 'FAILED %5d  %4d s\n' "$2" "$took"
        sed 's/^/  | /; 200q' "$logs/$name.log"
        echo "  again: $again"
    fi
}

# made GOAL...: a make as README types it, whose folder it shares.
# shellcheck disable=SC2317 # stage calls it
made() {
    "$make" --no-print-directory -j"$jobs" "$@"
}

# in_folder FOLDER COMPILER GOAL...: a make with that build folder.
# shellcheck disable=SC2317 # stage calls it
in_folder() {
    folder=build/$1
    compiler=$2
    shift 2
    made BUILD="$folder" CC="$compiler" "$@"
}

# The tools' tests again, with nothing but busybox's sh, awk, sed and the rest.
# shellcheck disable=SC2317 # stage calls it
in_busybox() {
    mkdir -p build/busybox || return 1
    for applet in sh awk sed grep sort tr cut head tail cmp cat wc find xargs \
        mktemp cp mv rm mkdir ln ls expr basename dirname printf; do
        ln -sf "$(command -v busybox)" "build/busybox/$applet"
    done
    PATH=$PWD/build/busybox:$PATH busybox sh tools/test_tools.sh
}

stage format made format-check
stage includes made includes
stage mass sh tools/mass.sh
awk '/over$/ { print "  " $1 " has " $3 " lines, above its " $2 }' \
    "$logs/mass.log"
stage tools sh tools/test_tools.sh
stage tools-busybox in_busybox
stage gpu-check sh tools/test_gpu_check.sh
# gcc's tests are run once, when `make test` is, as README says (readme); so are
# those of CUDA C, which goes through g++ whatever CC is, and takes minutes.
stage clang in_folder clang clang NO_CUDA=1 test
# At -O1 gcc compiles for the sanitizers.
for how in gcc-O0 gcc-O3 clang-O0 clang-O1 clang-O3; do
    stage "$how" in_folder "$how" "${how%-*}" OPT="-${how#*-}" objects
done
stage cuda-on-cpu made test-cuda-on-cpu
stage rounding made test-rounding
stage cute-check made cute-check
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
    # With nvcc-check and nvcc-hopper, whose machine code it reads.
    stage sass-check made sass-check
    stage gpu-link made gpu-link
fi
stage portable in_folder portable gcc PORTABLE=1 test-06
stage sanitize made sanitize
stage valgrind made valgrind QUICK=1
for number in "$@"; do
    stage "diff-$number" made "diff-$number"
done
stage lab made lab-check
stage exercises made check-exercises
stage fuzz made SECONDS=20 assurance-fuzz
# The file that is graded goes through the archives' compiler, whichever it is.
it=03_online_softmax/exercise/merge_parts
stage clang-grade in_folder clang clang NO_CUDA=1 GRADED=$it grade-03 \
    FILE=$it/solution/merge_parts.c
stage mutants made assurance-sample
stage grading made check-grade
stage docs made docs-check
stage readme sh tools/check_readme.sh README.md
stage spell made spell
stage book made book-test

echo
echo "$(($(date +%s) - began)) s; the stages' output is in $logs"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && exit 0
echo "next: read$red"
exit 1
