#!/bin/sh
# tools/grade/kit.sh TO EXERCISE: writes to the folder TO the files that are needed to
# grade an exercise (a folder): judge, tests, settings, environment and kit.tar. Of the
# project a sandbox can read only kit.tar. kit.tar has headers, archives and flags, but no
# test, reference or solution. The Makefile sets the variables of exercise_lib.sh.
# shellcheck disable=SC2034,SC2086,SC2153,SC2154 # must split; others set and use them
set -eu
. tools/environment.sh
. tools/exercise_lib.sh

to=$1
find_exercise "${2%%/*}" "${2##*/}"
kit=$to/kit
rm -rf "$to"
mkdir -p "$kit"
tests_of "$exercise/test_$name.c" >"$to/tests"
settings_of "$exercise" >"$to/settings"
echo "$sanitizer_options" >"$to/environment"
cp tools/exercise_lib.sh tools/grade/build.sh "$kit/"
flags="-I. -I$exercise -D_GNU_SOURCE"
if [ "$kind" = cu ]; then
    flags="$flags -DCUDA_ON_CPU -Itools/emulator/include"
    how=
    link=$CU_LINK
    judge="$CU_LINK -Wl,--wrap=cuda_on_cpu_counts,--wrap=cuda_on_cpu_findings"
    judge="$judge,--wrap=cuda_on_cpu_finding,--wrap=cuda_on_cpu_forgive"
    emulator=$CU_LIBS
    cp "$CU2CPP" "$BUILD/libanswer.a" $CU_LIBS "$kit/"
    compile_cuda "$exercise/launch.cu" "$kit/launch.o" -I. -I"$exercise"
    needed=$(needed_by "$kit/launch.o" "$exercise/launch.cu")
else
    sanitize=$(cat "$BUILD/sanitizers")
    how="$sanitize -fno-sanitize=vla-bound"
    link="$CC $sanitize"
    judge=$CC
    emulator=
    cp "$BUILD/sanitize/libanswer.a" "$kit/"
fi
/usr/bin/python3 -BEs tools/grade/remote.py "$exercise/$name.h" \
    "$to/settings" $emulator >"$to/remote.c"
$CC -std=c11 $flags -DJUDGE=0 -g -O1 $how -c "$to/remote.c" -o "$kit/remote.o"
$CC $FLAGS $flags -DJUDGE=1 -w -c "$to/remote.c" -o "$to/remote.o"
$CC $FLAGS $flags -w -c "$exercise/test_$name.c" -o "$to/test.o"
$judge "$to"/*.o $emulator $ARCHIVES $LIBS -o "$to/judge"
[ "$kind" = cu ] || needed=$(needed_by "$to/test.o" "$exercise/$name.h")
headers=.
CU2CPP=cu2cpp.sed
set | grep -E '^(name|kind|exercise|needed|how|link|headers|CC|FLAGS|CU2CPP)='\
'|^(CU_COMPILE|ANSWER_LIBS)=' >"$kit/exercise"
tar -cf "$to/kit.tar" -C "$kit" . -C "$PWD/$BUILD/answer" .
rm -r "$kit" "$to"/*.o "$to/remote.c"
