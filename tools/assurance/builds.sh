#!/bin/sh
# tools/assurance/builds.sh [NAME...]: builds and tests 01 to 06 for machines,
# C libraries and numbers of threads that are not those at hand. What passed is
# not done again until $BUILD/builds/NAME.passed is removed. Needs `setup.sh
# --assurance`. Ends with `N passed, N failed`.
set -u
export LC_ALL=C

[ $# -gt 0 ] || set -- threads m32 musl tsan aarch64 s390x
at=$PWD/${BUILD:-build}/builds
unset BUILD
headers=-I/usr/include/$(gcc -dumpmachine) # those of the kernel
passed=0
failed=0

# CMocka's source from Debian, in lists of our own.
debian() {
    apt-get -q -o Dir::Etc::sourcelist="$at/sources" \
        -o Dir::Etc::sourceparts=- -o Dir::State::lists="$at/lists" "$@"
}
fetch_cmocka() {
    [ -e "$at/cmocka" ] && return
    mkdir -p "$at/lists/partial" "$at/config" && : >"$at/config/config.h"
    code=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    echo "deb-src http://deb.debian.org/debian $code main" >"$at/sources"
    (cd "$at" && debian update && debian --download-only source cmocka &&
        tar xf cmocka_*.orig.tar.?z) && mv "$at"/cmocka-* "$at/cmocka"
}

# tested NAME COMPILER MAKE'S ARGUMENT...
tested() {
    name=$1
    compiler=$2
    shift 2
    ${MAKE:-make} -s NO_CUDA=1 MPICC=none BUILD="$at/$name" CC="$compiler" "$@" test
}

# The same with that machine's CMocka and C library.
foreign() {
    mkdir -p "$at/$1" && fetch_cmocka && $2 -w -O1 -D_GNU_SOURCE \
        -DHAVE_SIGNAL_H -DHAVE_STRUCT_TIMESPEC -I"$at/config" \
        -I"$at/cmocka/include" -c "$at/cmocka/src/cmocka.c" \
        -o "$at/$1/cmocka.o" && touch "$at/$1/cmocka" || return
    tested "$@" PORTABLE=1 PORTABLE_TARGETS=base \
        CMOCKA_FLAGS="-I$at/cmocka/include" CMOCKA_LIBS="$at/$1/cmocka.o"
}

# Each step's outputs, bit for bit those of one thread.
threads() {
    ${MAKE:-make} -s NO_CUDA=1 MPICC=none BUILD="$at/threads" programs || return
    for step in flash2_parallel flash2_lanes flash2_simd split_kv \
        split_kv_simd; do
        for n in 1 2 3 5 8 16 33 64; do
            OMP_NUM_THREADS=$n "$at/threads/06_flash2/run" --n 333 --d 40 \
                --heads 3 --batch 1 --step $step --out "$at/O.$n.npy" \
                --lse "$at/L.$n.npy" >/dev/null &&
                cmp "$at/O.1.npy" "$at/O.$n.npy" &&
                cmp "$at/L.1.npy" "$at/L.$n.npy" || return
        done
    done
    echo "5 passed, 0 failed"
}

one() {
    case $1 in
    threads) threads ;;
    m32) foreign m32 "gcc-12 -m32 -msse2 -mfpmath=sse $headers" ;;
    musl) foreign musl musl-gcc ;;
    aarch64 | s390x)
        # gcc 12's vectoriser for aarch64 breaks off on one of the tests.
        WRAP="qemu-$1 -L /usr/$1-linux-gnu" foreign "$1" \
            "$1-linux-gnu-gcc-12 -fexcess-precision=fast -fno-tree-vectorize"
        ;;
    tsan)
        # Of OpenMP's own waiting its tool tells ThreadSanitizer, which has
        # a malloc, as the two left out do.
        tests=$(find 0[1-6]* common -name 'test_*.c' ! -name test_starved.c \
            ! -name test_beyond.c ! -path '*/exercise/*' | sed "s|^|$at/tsan/|; s|\.c$||")
        OMP_TOOL_LIBRARIES=$(clang -print-file-name=libarcher.so) \
            TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
            tested tsan clang OPT='-O1 -g -fsanitize=thread' \
            ALL_TESTS="$(echo $tests)"
        ;;
    *) echo "$1: no such build (threads m32 musl tsan aarch64 s390x)" ;;
    esac
}

mkdir -p "$at"
for name in "$@"; do
    if [ -e "$at/$name.passed" ] || { one "$name" >"$at/$name.log" 2>&1 &&
        cp "$at/$name.log" "$at/$name.passed"; }; then
        passed=$((passed + 1))
        echo "ok     $name: $(grep ' passed, ' "$at/$name.passed" | tail -1)"
    else
        failed=$((failed + 1))
        echo "FAILED $name: $at/$name.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
