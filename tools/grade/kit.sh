#!/bin/sh
# tools/grade/kit.sh TO [EXERCISE]: what grading needs. For all exercises in TO
# the rules of a sandbox, and kit.tar, what it sees: headers, archives, how a file
# is compiled; no test, no truth, no solution. For one (its folder) in TO/NN_NAME
# its judge, which no sandbox sees, and a kit.tar of its own.
# The Makefile sets what exercise_lib.sh needs.
# shellcheck disable=SC2086,SC2153,SC2154 # flags, several words
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

to=$1
if [ $# -eq 1 ]; then
    kit=$to/kit
    mkdir -p "$kit/sanitize"
    /usr/bin/python3 -BEs tools/grade/cage.py "$to"
    echo "$careful" >"$to/careful"
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
flags="-I. -I$exercise -D_GNU_SOURCE"
if [ "$kind" = cu ]; then
    flags="$flags -DCUDA_ON_CPU"
    how=
    link=$CU_LINK
    archives="libcuda_on_cpu.a libanswer.a"
    judge="$CU_LINK -Wl,--wrap=cuda_on_cpu_counts"
    of_judge=$CU_LIBS
    cuda "$exercise/launch.cu" "$own/launch.o" -I. -I"$exercise"
    rm "$own/launch.o.cpp"
else
    how="$sanitize -fno-sanitize=vla-bound"
    link="$CC $sanitize"
    archives=sanitize/libanswer.a
    judge=$CC
    of_judge=
fi
/usr/bin/python3 -BEs tools/grade/remote.py "$exercise/$name.h" \
    "$exercise/remote.txt" $of_judge >"$to/remote.c"
$CC -std=c11 $flags -g -O1 $how -c "$to/remote.c" -o "$own/remote.o"
$CC $FLAGS $flags -w -DJUDGE -c "$to/remote.c" -o "$to/remote.o"
$CC $FLAGS $flags -w -c "$exercise/test_$name.c" -o "$to/test.o"
$judge "$to"/*.o $of_judge $ARCHIVES $LIBS -o "$to/judge"
case $kind in
cu) asked=$(asked_by "$own/launch.o" "$exercise/launch.cu") ;;
*) asked=$(asked_by "$to/test.o" "$exercise/$name.h") ;;
esac
for name_of in number name kind exercise asked how link archives CC FLAGS \
    CU_COMPILE; do
    eval "printf \"%s='%s'\n\" $name_of \"\${$name_of:-}\""
done >"$to/exercise"
echo "headers=. CU2CPP=cu2cpp.sed libs='$ANSWER_LIBS'" >>"$to/exercise"
tar -cf "$to/kit.tar" -C "$to" exercise own
rm -rf "$own" "$to"/*.o "$to/remote.c" "$to/exercise"
