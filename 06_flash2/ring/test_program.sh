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

# rank_of MPIRUN NTH: the process of a rank, a child of mpirun; or of a child
# of it, which MPICH has between them.
rank_of() {
    cat /proc/[0-9]*/stat 2>/dev/null |
        sed -n 's/^\([0-9]*\) (\(.*\)) . \([0-9]*\) .*/\1 \3 \2/p' |
        awk -v mpirun="$1" -v nth="$2" -v name="${ring##*/}" '
            { id[NR] = $1; parent[$1] = $2; called[$1] = $3 }
            END {
                for (k = 1; k <= NR; k++) {
                    p = parent[id[k]]
                    if (called[id[k]] == name &&
                        (p == mpirun || parent[p] == mpirun) && n++ == nth)
                        print id[k]
                }
            }'
}

# dies NTH: that rank is killed while all compute: an error, and the file that
# is asked for is what it was; nothing else is left.
dies() {
    rm -f "$tmp"/new*
    echo old >"$tmp/new.npy"
    sh 06_flash2/ring/mpirun.sh 3 "$ring" --n 12000 --heads 4 \
        --out "$tmp/new.npy" </dev/null >"$tmp/said" 2>"$tmp/wrong" &
    job=$!
    victim=
    tries=0
    while [ -z "$victim" ] && [ $tries -lt 50 ]; do
        sleep 0.2
        victim=$(rank_of $job "$1")
        tries=$((tries + 1))
    done
    sleep 1
    [ -n "$victim" ] && kill -9 "$victim" || return 1
    ! wait $job && [ "$(cat "$tmp/new.npy")" = old ] &&
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
must "the way back sends what its formula says" eval \
    "ranks 3 $ring --backward --causal && grep -q '^zigzag_b.* 1.000' $tmp/said &&
    ! grep -q DIFFERS $tmp/said"
while IFS='|' read -r what words options; do
    # shellcheck disable=SC2086 # several words
    must "$what" refuses "$words" $options
done <<EOF
an option that is none|^--step: no 'nope'|--step nope
a mask|^--mask: no such option|--mask common/data/q.npy
a file that is not there|none.npy: cannot open|--q none.npy --k none.npy --v none.npy
a file to be read and written|^--lse: .*is --out|--n 9 --lse $tmp/new.npy
sizes of which a sum would wrap|^--d: 184.* is too large|--n 4 --d 18446744073709551615
more than can be counted|is too large|--n 4294967296
--list with anything beside it|^--list: not together with|--list
a folder that is not there|no/o.npy: |--n 9 --lse $tmp/no/o.npy
EOF
if [ -r /proc/self/stat ]; then
    must "the last rank dies, and no file is half there" dies 2
    must "the first rank dies, and no file is half there" dies 0
fi
echo "1..$tests"
exit $failed
