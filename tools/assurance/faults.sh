#!/bin/sh
# tools/assurance/faults.sh: in every program, in every mode, each allocation and
# each open, read, write, close, rename and unlink fails once, in turn. It must
# end by itself; with 0 and the right files, or say why in one line and leave
# the old files or the new ones, whole. Ends with `N passed, N failed`.
set -u
. tools/count.sh
export OMP_NUM_THREADS=2

top=$PWD
build=${BUILD:-build}/faults

# Linked statically: the loader's own opens and reads are none of ours.
${MAKE:-make} -s NO_CUDA=1 BUILD="$build/static" LDFLAGS=-static \
    programs || exit 1
${MAKE:-make} -s NO_CUDA=1 BUILD="$build/shared" programs || exit 1
${CC:-cc} -std=c11 -I. -shared -fPIC -O1 -o "$build/starve.so" \
    tools/assurance/starve_preload.c -ldl || exit 1

# In an empty folder with an input and two old outputs: scene.
scene() {
    rm -rf "$tmp/scene"
    mkdir "$tmp/scene"
    cp "$top/common/data/q.npy" "$tmp/scene/x.npy"
    echo old >"$tmp/scene/y.npy"
    echo old >"$tmp/scene/l.npy"
}

# One of our files: it is what it was, or what an unharmed run made of it.
whole() {
    cmp -s "$tmp/scene/$1" "$tmp/good/$1" ||
        { [ "$1" != x.npy ] && [ "$(cat "$tmp/scene/$1")" = old ]; }
}

# judge WHAT STATUS: the scene after a run. A run that could not write to
# stderr can say nothing, one that could not unlink leaves what it names.
judge() {
    wrong=
    lines=$(grep -c . "$tmp/err")
    [ "$2" -ge 124 ] && wrong="ended with $2"
    for file in x.npy y.npy l.npy; do
        whole "$file" || wrong="$file is neither old nor new"
        [ "$2" -ne 0 ] || cmp -s "$tmp/scene/$file" "$tmp/good/$file" ||
            wrong="ended with 0, and $file is not right"
    done
    case $1 in *' write '* | *' unlink '*) ;; *)
        [ "$2" -eq 0 ] || [ "$lines" -eq 1 ] || wrong="said $lines lines"
        ;;
    esac
    left=$(ls "$tmp/scene" | grep '\.part$')
    [ -z "$left" ] || grep -q "$left" "$tmp/err" || wrong="left $left"
    test -z "$wrong"
    count $? "$1: $wrong"
    [ -z "$wrong" ] || sed 's/^/  | /; 3q' "$tmp/err"
}

# each PROGRAM OPTION...: its unharmed run, then one run for each fault.
each() {
    program=$1
    shift
    scene
    (cd "$tmp/scene" && "$top/$build/static/$program/run" "$@" >/dev/null) ||
        count 1 "$program $*: fails unharmed"
    rm -rf "$tmp/good"
    mv "$tmp/scene" "$tmp/good"
    for call in open,openat read write close rename unlink; do
        n=1
        while [ "$n" -le "${MOST:-400}" ]; do
            scene
            (cd "$tmp/scene" && strace -f -qq -o "$tmp/calls" -e "trace=$call" \
                -e "inject=$call:error=EIO:when=$n" \
                "$top/$build/static/$program/run" "$@" \
                >/dev/null 2>"$tmp/err")
            status=$?
            grep -q INJECTED "$tmp/calls" || break
            judge "$program $* : $call $n" "$status"
            n=$((n + 1))
        done
    done
    n=0
    while [ "$n" -le "${MOST:-400}" ]; do
        scene
        rm -f "$tmp/starved"
        (cd "$tmp/scene" && STARVE=$n STARVED=$tmp/starved \
            LD_PRELOAD=$top/$build/starve.so \
            "$top/$build/shared/$program/run" "$@" >/dev/null 2>"$tmp/err")
        status=$?
        [ -e "$tmp/starved" ] || [ "$status" -ge 124 ] || break
        judge "$program $* : allocation $n" "$status"
        n=$((n + 1))
    done
    echo "$program $*: $passed passed, $failed failed so far"
}

for program in 01_naive_softmax 02_safe_softmax 03_online_softmax; do
    each $program --in x.npy --out y.npy --lse l.npy
    each $program --trace
    each $program --list
done
for program in 04_tiled_attention 05_flash1 06_flash2; do
    each $program --n 9 --d 4 --out y.npy --lse l.npy
    each $program --q x.npy --k x.npy --v x.npy --out y.npy
    each $program --trace
    each $program --n 9 --d 4 --csv
done
finish
