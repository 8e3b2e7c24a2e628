#!/bin/sh
# 06_flash2/ring/test_program.sh RING RUN: ring/'s program as it is typed: what
# it writes, what it refuses, what is left when a rank dies. In TAP. RUN is
# chapter 06's program, whose flash2 gather has to agree with bit for bit.
set -u
export LC_ALL=C

ring=$1
run=$2
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

# alike RANKS STEP: O and L are nearly those that gather left: of the floats'
# bytes at most the lower two differ, but where they are as good as 0.
alike() {
    # shellcheck disable=SC2086
    ranks "$1" "$ring" $data --causal --step "$2" --out "$tmp/p.npy" \
        --lse "$tmp/k.npy" &&
        near "$tmp/p.npy" "$tmp/o.npy" && near "$tmp/k.npy" "$tmp/l.npy"
}

# near A B: two .npy files of that many floats, no two further than 1e-5 apart.
near() {
    for each in "$1" "$2"; do
        od -An -v -t f4 -w4 -j 128 "$each" >"$each.text"
    done
    paste "$1.text" "$2.text" | awk '
        { apart = $1 - $2; if (!(apart < 1e-5 && apart > -1e-5)) bad++ }
        END { exit !(NR > 3000 && bad == 0) }'
}

# refuses WORDS RANKS OPTIONS: one line with these words, no file, not 0.
refuses() {
    words=$1
    with=$2
    shift 2
    rm -f "$tmp"/new*
    ranks "$with" "$ring" "$@" --out "$tmp/new.npy" && return 1
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

shape="{'descr': '<f4', 'fortran_order': False, 'shape': (1, 12, 250, 32), }"
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "$shape"
    head -c $((12 * 250 * 32 * 4)) /dev/zero
} >"$tmp/k250.npy"
head -c 5000 common/data/k.npy >"$tmp/short.npy"
mkfifo "$tmp/pipe.npy"
q=common/data/q.npy
k=common/data/k.npy
v=common/data/v.npy

must "gather is flash2, bit for bit" gathers 3
must "with a causal limit, too" gathers 5 --causal-offset -7 --scale 0.3
must "so that ranks need not divide the rows" gathers 4 --causal
for step in ring zigzag ulysses tree; do
    must "$step writes the same rows, to rounding" alike 4 $step
done
must "as many files as --list has steps" \
    eval "ranks 2 $ring --list && [ \$(grep -c . $tmp/said) -eq 6 ]"
must "an option that is none" refuses "^--step: no 'nope'" 3 --step nope
must "a file that is not there" refuses "^$tmp/none.npy: cannot open" 3 \
    --q "$tmp/none.npy" --k $k --v $v
must "a file that is cut off" refuses 'does not fit 4872 bytes' 2 \
    --q $q --k "$tmp/short.npy" --v $v
must "a pipe" refuses 'not a regular file' 2 --q $q --k "$tmp/pipe.npy" --v $v
must "shapes that do not fit" refuses 'does not fit' 3 \
    --q $q --k "$tmp/k250.npy" --v $v
must "ranks that heads can't be shared out to" refuses 'cannot share 12 key' \
    5 --step ulysses --q $q --k $k --v $v
must "a file to be read and written" refuses 'lse: .*is --out' 2 --n 9 \
    --lse "$tmp/new.npy"
must "sizes of which a sum would wrap" refuses '^--d: 184.* is too large' 2 \
    --n 4 --d 18446744073709551615
must "a problem too large for --csv, too: no line, and not 0" eval \
    "! ranks 2 $ring --csv --n 4294967296 && [ ! -s $tmp/said ] &&
    [ \$(grep -c 'is too large' $tmp/wrong) = 1 ]"
must "--list stands alone" refuses '^--list: not together with --q' 2 \
    --list --q $q --k $k --v $v
must "a folder that is not there" eval \
    "! ranks 2 $ring --n 9 --out $tmp/no/o.npy && [ \$(wc -l <$tmp/wrong) = 1 ]"
must "the way back sends what its formula says" eval \
    "ranks 3 $ring --backward --causal && grep -q '^zigzag .* 1.000' $tmp/said &&
    ! grep -q DIFFERS $tmp/said"
must "no step is asked for on the way back" refuses '^--backward: not together' \
    2 --backward --step ring
if [ -r /proc/self/stat ]; then
    must "the last rank dies, and no file is half there" dies 2
    must "the first rank dies, and no file is half there" dies 0
fi
echo "1..$tests"
exit $failed
