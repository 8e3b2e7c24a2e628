#!/bin/sh
# tools/grade/kit.sh TO EXERCISE...: what grading needs. For each exercise (its
# folder) TO/judges/NN_NAME, a program, and in TO/kit what a sandbox may see:
# headers, libcommon.a, and the worker's own objects; no test, no solution.
# The Makefile sets CC, FLAGS, LIBS and SANITIZED (our archives).
# shellcheck disable=SC2086,SC2153 # flags, several words
set -eu
export LC_ALL=C

to=$1
shift
rm -rf "$to/kit" "$to/judges"
mkdir -p "$to/kit/include" "$to/judges"
$CC -std=c11 -O2 -Wall -Wextra tools/grade/cage.c -o "$to/cage"
find common -name '*.h' | while read -r header; do
    mkdir -p "$to/kit/include/${header%/*}"
    cp "$header" "$to/kit/include/$header"
done
cp $SANITIZED "$to/kit/"
sanitize='-fsanitize=address,undefined -fno-sanitize-recover=all'
echo "$sanitize" >"$to/kit/sanitize"
strict='-std=c11 -D_GNU_SOURCE -I. -g -O1'

for exercise in "$@"; do
    name=${exercise##*/}
    id=${exercise%%_*}_$name
    it=$to/kit/$id
    mkdir -p "$it"
    cp "$exercise/$name.h" "$it/"
    for source in tools/grade/worker.c tools/grade/wire.c \
        tools/grade/remote_attention.c "$exercise/remote.c"; do
        $CC $strict $sanitize -I"$exercise" -c "$source" \
            -o "$it/$(basename "$source" .c).o"
    done
    # The functions that a solution defines, and the worker asks for.
    $CC $strict -I"$exercise" -c "$exercise/solution/$name.c" -o "$it/theirs"
    nm -g --defined-only "$it/theirs" | sed 's/.* //' >"$it/asked_for"
    rm "$it/theirs"
    $CC $FLAGS -D_GNU_SOURCE -Wno-error -DJUDGE -I"$exercise" \
        "$exercise/test_$name.c" "$exercise/remote.c" tools/grade/judge.c \
        tools/grade/wire.c tools/grade/remote_attention.c \
        -Wl,--wrap=random_seed $LIBS -o "$to/judges/$id"
    # The claims: all, and those that the worker could lie about.
    sed -n 's/.*cmocka_unit_test(\([a-zA-Z0-9_]*\)).*/\1/p' \
        "$exercise/test_$name.c" >"$to/judges/$id.claims"
    sed -n 's/.*counted inside the worker: \([a-zA-Z0-9_]*\).*/\1/p' \
        "$exercise/remote.c" >"$to/judges/$id.counted"
done
