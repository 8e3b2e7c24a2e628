#!/bin/sh
# 06_flash2/ring/test_program.sh BUILD RANKS...: ring/'s tests on each of these
# numbers of ranks; and its program as it is typed: what it writes, what it
# refuses, what is left when a rank dies. In TAP. With chapter 06's program, whose
# flash2 gather has to agree with bit for bit.
set -u
export LC_ALL=C

ring=$1/06_flash2/ring/run
test=$1/06_flash2/ring/test_ring
run=$1/06_flash2/run
shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
data="--q common/data/q.npy --k common/data/k.npy --v common/data/v.npy"
tests=0
failed=0

# ranks N PROGRAM...: what the ranks say. Open MPI 5 itself adds, in a frame of
# dashes, that one has failed, and can't be told not to.
ranks() {
    sh 06_flash2/ring/mpirun.sh "$@" </dev/null >"$tmp/said" 2>"$tmp/all"
    status=$?
    sed '/^-----/,/^-----/d' "$tmp/all" >"$tmp/wrong"
    return $status
}

must() {
    tests=$((tests + 1))
    what=$1
    shift
    if "$@"; then
        echo "ok $tests - $what"
    else
        echo "not ok $tests - $what"
        sed 's/^/# /' "$tmp/said" "$tmp/wrong"
        failed=1
    fi
}

# gathers RANKS OPTIONS: O and L as chapter 06's program writes them.
gathers() {
    with=$1
    shift
    # shellcheck disable=SC2086 # several words
    "$run" $data "$@" --step flash2 --out "$tmp/o6.npy" --lse "$tmp/l6.npy" \
        >/dev/null &&
        ranks "$with" "$ring" $data "$@" --step gather --out "$tmp/o.npy" \
            --lse "$tmp/l.npy" &&
        cmp "$tmp/o.npy" "$tmp/o6.npy" && cmp "$tmp/l.npy" "$tmp/l6.npy"
}

# refuses WORDS OPTIONS: three ranks say one line with these words and write no
# file; not 0.
refuses() {
    words=$1
    shift
    rm -f "$tmp"/new*
    ranks 3 "$ring" --out "$tmp/new.npy" "$@" && return 1
    [ "$(grep -c . "$tmp/wrong")" -eq 1 ] && grep -q "$words" "$tmp/wrong" &&
        [ ! -s "$tmp/said" ] && [ -z "$(ls "$tmp" | grep new)" ]
}

# A rank is killed while all compute: an error, and the file that is asked for is
# what it was; nothing else is left.
a_rank_dies() {
    echo old >"$tmp/new.npy"
    sh 06_flash2/ring/mpirun.sh 3 "$ring" --n 12000 --heads 4 \
        --out "$tmp/new.npy" </dev/null >"$tmp/said" 2>"$tmp/wrong" &
    job=$!
    sleep 2
    victim=$(pgrep -n -f "out $tmp/new.npy")
    [ "$victim" != $job ] && kill -9 "$victim" && ! wait $job &&
        [ "$(cat "$tmp/new.npy")" = old ] &&
        [ "$(ls "$tmp" | grep -c new)" -eq 1 ]
}

for n in "$@"; do
    must "on $n ranks every step is right, and sends what it must" \
        ranks "$n" "$test"
done
must "gather is flash2, bit for bit" gathers 3
must "with a causal limit, too" gathers 5 --causal-offset -7 --scale 0.3
must "--list names five steps, and two that keep a narrow O" \
    eval "ranks 2 $ring --list && [ \$(grep -c . $tmp/said) -eq 7 ]"
must "the backward pass sends what its formula says" eval \
    "ranks 3 $ring --backward --causal && grep -q '^zigzag_b.* 1.000' $tmp/said &&
    ! grep -q DIFFERS $tmp/said"
must "a mask is refused" \
    refuses "^--mask: no such option" --mask common/data/q.npy
must "what no step of ranks takes is no option" eval \
    "ranks 2 $ring --help && ! grep -E 'judge|sram|--br' $tmp/said"
must "more than can be counted is refused" \
    refuses "is too large" --n 4294967296
must "a folder that is not there is refused" \
    refuses "no/o.npy: " --n 9 --lse "$tmp/no/o.npy"
! command -v pgrep >/dev/null ||
    must "a rank dies, and no file is half there" a_rank_dies
echo "1..$tests"
exit $failed
