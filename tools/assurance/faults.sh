#!/bin/sh
# tools/assurance/faults.sh BUILD: in every program of 01 to 06, in every mode,
# each allocation and each open, read, write, close, rename and unlink fails
# once, in turn, and once comes a Ctrl-C in it. A program must end by itself; with
# 0 and the right files, or say why in one line and leave the old files or the
# new ones, whole. Ends with `N passed, N failed`.
set -u
. tools/count.sh
build=$PWD/$1
export OMP_NUM_THREADS=2 STARVED="$tmp/calls"
${CC:-cc} -I. -shared -fPIC -o "$tmp/starve.so" tools/assurance/starve.c -ldl || exit

# In a folder with inputs and two old outputs: scene.
mkdir "$tmp/inputs" && cp common/data/q.npy "$tmp/inputs/x.npy"
head -c 400 docs/paragraph.txt >"$tmp/inputs/text"
number() {
    printf '\223NUMPY\1\0v\0%-117s\n\0\0\200\77' \
        "{'descr': '<f4', 'fortran_order': False, 'shape': $1, }"
}
number '(1,)' >"$tmp/inputs/one.npy"
number '(1, 1)' >"$tmp/inputs/blocks.npy"
scene() {
    rm -rf "$tmp/scene" "$tmp/calls" && cp -R "$tmp/inputs" "$tmp/scene" &&
        cd "$tmp/scene" && echo old | tee y.npy >l.npy
}

# judge WHAT STATUS: the scene after a run. A run that could not write to
# stderr can say nothing, one that could not unlink leaves what it names.
judge() {
    wrong=
    for file in *.npy; do
        cmp -s "$file" "$tmp/good/$file" || { [ "$2" -ne 0 ] &&
            echo old | cmp -s - "$file"; } || wrong="$2, and $file is not right"
    done
    lines=$(grep -c . "$tmp/err")
    case $2:$1 in
    0:* | 130:*INT | *' write '* | *' unlink '*) ;;
    *) [ "$2" -lt 128 ] && [ "$lines" -eq 1 ] || wrong="$2, said $lines lines" ;;
    esac
    left=$(ls | grep '\.part$')
    [ -z "$left" ] || grep -q "$left" "$tmp/err" || wrong="left $left"
    test -z "$wrong"
    count $? "$1: $wrong: $(head -3 "$tmp/err")"
}

# each PROGRAM OPTION...: its unharmed run, then one run for each fault.
each() {
    program=$build/$1
    mode=$*
    shift
    scene
    "$program" "$@" >/dev/null || { count 1 "$mode: fails unharmed" && return; }
    rm -rf "$tmp/good" && cp -R . "$tmp/good"
    for fault in malloc open,openat read write close rename unlink; do
        for how in error=EIO signal=INT; do
            n=0
            while scene && [ $((n += 1)) -le "${MOST:-400}" ]; do
                case $fault:$how in
                malloc:signal*) break ;;
                malloc*) STARVE=$n LD_PRELOAD=$tmp/starve.so "$program" "$@" ;;
                *) strace -f -qq -o "$tmp/calls" -e "trace=$fault" \
                    -e "inject=$fault:$how:when=$n" "$program" "$@" ;;
                esac >/dev/null 2>"$tmp/err"
                status=$?
                grep -qs 'INJECTED\|SIGINT' "$tmp/calls" || [ "$status" -ge 128 ] || break
                judge "$mode: $fault $n $how" "$status"
            done
        done
    done
    echo "$mode: $passed passed, $failed failed so far"
}

for chapter in 01_naive_softmax 02_safe_softmax 03_online_softmax; do
    for mode in '--in x.npy --out y.npy --lse l.npy' --trace --list; do
        each $chapter/run $mode
    done
done
for chapter in 04_tiled_attention 05_flash1 06_flash2; do
    for mode in '' --csv '--out y.npy --lse l.npy' '--window 3 --alibi \
        --sink one.npy --block-mask blocks.npy --out y.npy'; do
        each $chapter/run --n 9 --d 4 $mode
    done
    each $chapter/run --q x.npy --k x.npy --v x.npy --out y.npy
    each $chapter/run --trace
done
for step in lazy_rescale paged_kv cascade flash2_simd split_kv_simd; do
    each 06_flash2/run --n 9 --d 4 --step $step --out y.npy --lse l.npy
done
for mode in --trace '--n 9 --csv' '--n 9 --grad-q y.npy --grad-k l.npy'; do
    each 05_flash1/run --backward $mode
    each 06_flash2/run --backward $mode
done
each docs/lab/train --text text --steps 1 --layers 1
finish
