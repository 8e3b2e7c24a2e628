#!/bin/sh
# tools/grade/kit.sh TO [EXERCISE]: what grading needs. For all exercises in TO
# the rules of a sandbox, and kit.tar, what it sees: headers, archives, how a file
# is compiled; no test, no truth, no solution. For one (its folder) in TO/NN_NAME
# its judge, which no sandbox sees, its claims, and a kit.tar of its own.
# The Makefile sets what exercise_lib.sh needs.
# shellcheck disable=SC2086,SC2153 # flags, several words
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

to=$1
if [ $# -eq 1 ]; then
    kit=$to/kit
    mkdir -p "$kit/sanitize"
    /usr/bin/python3 -BEs tools/grade/grade.py rules "$to"
    cp "$BUILD/libanswer.a" tools/exercise_lib.sh tools/grade/build.sh "$kit/"
    cp "$BUILD/sanitize/libanswer.a" "$kit/sanitize/"
    [ ! -f "${CU_LIBS:-}" ] || cp "$CU2CPP" $CU_LIBS "$kit/"
    tar -cf "$to/kit.tar" -C "$kit" . -C ../../answer .
    rm -r "$kit"
    exit
fi

exercise=$2
find_exercise "${exercise%%/*}" "${exercise##*/}"
number=${exercise%%_*}
to=$to/${number}_$name
own=$to/own
rm -rf "$to"
mkdir -p "$own"
sanitize=$(cat "$BUILD/sanitizers")
flags="-std=c11 -D_GNU_SOURCE -I. -g -O1 -I$exercise"
if [ "$kind" = cu ]; then
    on_cpu=-DCUDA_ON_CPU
    how=
    link=$CU_LINK
    archives="libcuda_on_cpu.a libanswer.a"
    cuda "$exercise/launch.cu" "$own/launch.o" -I. -I"$exercise"
    rm "$own/launch.o.cpp"
    asked=$(asked_by "$own/launch.o" "$exercise/launch.cu")
else
    on_cpu=
    how="$sanitize -fno-sanitize=vla-bound"
    link="$CC $sanitize"
    flags="$flags $sanitize"
    archives=sanitize/libanswer.a
fi
awk -v cuda="${on_cpu:+1}" -f tools/grade/remote.awk "$exercise/$name.h" \
    "$exercise/remote.txt" >"$to/remote.c"
for source in tools/grade/wire.c "$to/remote.c"; do
    $CC $flags $on_cpu -c "$source" -o "$own/$(basename "$source" .c).o"
done
$CC $FLAGS -D_GNU_SOURCE -Wno-error -DJUDGE $on_cpu -I. -I"$exercise" \
    -c "$exercise/test_$name.c" -o "$to/test.o"
[ "$kind" = cu ] || asked=$(asked_by "$to/test.o" "$exercise/$name.h")
$CC $FLAGS -D_GNU_SOURCE -Wno-error -DJUDGE $on_cpu -I. -I"$exercise" \
    -nostdlib -r tools/grade/judge.c tools/grade/wire.c "$to/remote.c" \
    "$to/test.o" -o "$to/judge.o"
if [ "$kind" = cu ]; then
    $CU_LINK -Wl,--wrap=cuda_on_cpu_counts "$to/judge.o" $CU_LIBS $ARCHIVES \
        $LIBS -o "$to/judge"
else
    $CC $FLAGS "$to/judge.o" $ARCHIVES $LIBS -o "$to/judge"
fi
for name_of in number name kind exercise asked how link archives CC FLAGS \
    CU_COMPILE; do
    eval "printf \"%s='%s'\n\" $name_of \"\${$name_of:-}\""
done >"$own/exercise"
echo "headers=. CU2CPP=cu2cpp.sed libs='$ANSWER_LIBS'" >>"$own/exercise"
(cd "$to" && mv own/exercise . && tar -cf kit.tar exercise own)
claims_of "$exercise/test_$name.c" >"$to/claims"
! sed -nE 's/^(counted|the skeleton|the variant) .*: //p' "$exercise/remote.txt" |
    grep -vxFf "$to/claims" || {
    echo "$exercise/remote.txt: the tests make no such claim" >&2
    exit 1
}
rm -rf "$own" "$to"/*.o "$to/remote.c" "$to/exercise"
