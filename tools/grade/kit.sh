#!/bin/sh
# tools/grade/kit.sh TO EXERCISE...: what grading needs. For each exercise (its
# folder) TO/judges/NN_NAME, a program, and in TO/kit what a sandbox may see:
# headers, archives, and the worker's own objects; no test, no solution.
# The Makefile sets CC, FLAGS, ARCHIVES, LIBS, BUILD and, for chapter 07, what
# exercise_lib.sh needs too.
# shellcheck disable=SC2086,SC2153 # flags, several words
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

to=$1
kit=$to/kit
shift
rm -rf "$kit" "$to/judges"
mkdir -p "$kit/include" "$to/judges"
$CC -std=c11 -O2 -Wall -Wextra tools/grade/cage.c -o "$to/cage"
find common 07_cuda -path '*/exercise/*/*' -prune -o -name '*.h' -print \
    -o -name '*.cuh' -print | tar -cf - -T - | tar -xf - -C "$kit/include"
cp "$BUILD/sanitize/libanswer.a" tools/grade/build.sh "$kit/"
sanitize=$(cat "$BUILD/sanitizers")
# As an exercise is compiled (tools/exercise_lib.sh), but for what is only said.
echo "$CC $FLAGS $sanitize -w" >"$kit/compile"
echo "$CC $sanitize" >"$kit/link"
[ -f "${CU_LIBS:-}" ] || CU_COMPILE= # no C++ compiler here
if [ "$CU_COMPILE" ]; then
    cp "$CU2CPP" "$kit/cu2cpp.sed"
    cp $CU_LIBS "$kit/"
    echo "$CU_COMPILE" >"$kit/cu_compile"
    echo "$CU_LINK" >"$kit/cu_link"
fi
marked() { sed -n "s/.*$1: \([a-zA-Z0-9_]*\).*/\1/p" "$exercise/remote.txt"; }

for exercise in "$@"; do
    name=${exercise##*/}
    id=${exercise%%_*}_$name
    [ "$CU_COMPILE" ] || [ ! -f "$exercise/launch.cu" ] || continue
    it=$kit/$id
    judge=$to/judges/$id
    remote=$to/remote.c
    mkdir "$it"
    cp "$exercise/$name.h" "$it/"
    flags="-std=c11 -D_GNU_SOURCE -I. -g -O1 -I$exercise"
    more=
    link="$CC $FLAGS"
    if [ -f "$exercise/launch.cu" ]; then
        more=-DCUDA_ON_CPU
        flags="$flags $more"
        link="$CU_LINK -Wl,--wrap=cuda_on_cpu_counts"
        sed -E -f "$CU2CPP" "$exercise/launch.cu" |
            $CU_COMPILE -I"$exercise" -x c++ -c - -o "$it/launch.o"
    else
        # What a solution defines, and the worker asks for.
        $CC $flags -c "$exercise/solution/$name.c" -o "$it/theirs"
        nm -g --defined-only "$it/theirs" | sed 's/.* //' >"$it/asked_for"
        rm "$it/theirs"
        flags="$flags $sanitize"
    fi
    awk -v cuda="${more:+1}" -f tools/grade/remote.awk \
        "$exercise/$name.h" "$exercise/remote.txt" >"$remote"
    for source in tools/grade/wire.c common/testing/todo.c "$remote"; do
        $CC $flags -c "$source" -o "$it/$(basename "$source" .c).o"
    done
    $CC $FLAGS -D_GNU_SOURCE -Wno-error -DJUDGE $more -I"$exercise" \
        -nostdlib -r tools/grade/judge.c tools/grade/wire.c \
        "$remote" "$exercise/test_$name.c" -o "$judge.o"
    $link "$judge.o" ${more:+$CU_LIBS} $ARCHIVES $LIBS -o "$judge"
    rm "$judge.o"
    # The claims: all, those that the worker could lie about, and those that
    # the skeleton holds already.
    claims_of "$exercise/test_$name.c" >"$judge.claims"
    marked "counted inside the worker" >"$judge.counted"
    marked "the skeleton holds" >"$judge.held"
    ! grep -hvxFf "$judge.claims" "$judge.counted" "$judge.held" || {
        echo "$exercise/remote.txt: the tests make no such claim" >&2
        exit 1
    }
    { marked points && echo 10; } | sed 1q >"$judge.points"
done
