#!/bin/sh
# 06_flash2/ring/test_program.sh BUILD RANKS...: runs the tests of ring/ on each of
# these numbers of ranks, and tests the output and the errors of its program. Prints
# TAP. TEST_ONLY selects tests by name, as in CMocka.
set -u
export LC_ALL=C

ring=$1/06_flash2/ring/run
test=$1/06_flash2/ring/test_ring
shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
tests=0
failed=0
only=${TEST_ONLY:-*}
unset TEST_ONLY

# ranks N PROGRAM...: runs the program on N ranks. Writes stdout to $tmp/said. Writes the
# stderr of the ranks to $tmp/wrong, and that of mpirun to $tmp/mpirun: if a rank fails,
# Open MPI 5 adds messages, which no option prevents.
ranks() {
    count=$1
    shift
    : >"$tmp/wrong"
    # shellcheck disable=SC2016 # the inner sh expands them
    sh 06_flash2/ring/mpirun.sh "$count" sh -c 'exec "$@" 2>>"$0"' "$tmp/wrong" "$@" \
        </dev/null >"$tmp/said" 2>"$tmp/mpirun"
}

# is_asked NAME: true if TEST_ONLY selects this test. With a leading ! in TEST_ONLY, true
# if the rest does not match.
is_asked() {
    case $only in
    !*) case $1 in ${only#!}) return 1 ;; esac ;;
    *) case $1 in $only) ;; *) return 1 ;; esac ;;
    esac
}

# must NAME COMMAND...: a test. It passes if the command returns 0.
must() {
    is_asked "$1" || return
    tests=$((tests + 1))
    what=$1
    shift
    if "$@"; then
        echo "ok $tests - $what"
    else
        echo "not ok $tests - $what"
        sed 's/^/# /' "$tmp/said" "$tmp/wrong" "$tmp/mpirun"
        failed=1
    fi
}

# refuses WORDS OPTIONS: three ranks must print only one line on stderr, with these
# words, and the exit code must not be 0.
refuses() {
    words=$1
    shift
    ranks 3 "$ring" "$@" && return 1
    [ "$(grep -c . "$tmp/wrong")" -eq 1 ] && grep -q "$words" "$tmp/wrong" &&
        [ ! -s "$tmp/said" ]
}

for n in "$@"; do
    must "on $n ranks every step is right, and sends as many bytes as its formula" \
        ranks "$n" "$test"
done
must "without --step, three steps are in the table" \
    eval "ranks 2 $ring --n 40 && [ \$(grep -c '0\.[0-9]* \|1\.000 ' $tmp/said) -eq 3 ]"
must "the errors are those of rounding" \
    eval "ranks 2 $ring --n 40 && [ \$(grep -c ' [1-9].[0-9]e-07 ' $tmp/said) -eq 3 ]"
must "a step is run by name" \
    eval "ranks 2 $ring --n 40 --step zigzag && grep -q '^zigzag' $tmp/said &&
    ! grep -q '^gather' $tmp/said"
must "the backward pass sends as many bytes as its formula" eval \
    "ranks 3 $ring --backward --causal &&
    grep -A 1 '^zigzag_backward' $tmp/said | grep -q ' 1\.000 ' &&
    ! grep -q DIFFERS $tmp/said"
must "an unknown option is refused" \
    refuses "^--mask: no such option" --mask common/data/q.npy
must "an unknown step is refused" refuses "^--step: 'no' is not allowed" --step no
must "a problem that is too large is refused" \
    refuses "is too large" --n 4294967296
echo "1..$tests"
exit $failed
