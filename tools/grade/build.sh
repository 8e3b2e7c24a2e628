#!/bin/sh
# tools/grade/build.sh KIT ID: makes ./worker of ./submission, inside the
# sandbox. Of C only the asked-for functions stay visible, so that a main or a
# helper called `fill` is no trouble, neither theirs nor ours.
# shellcheck disable=SC2046,SC2086 # flags, several words
set -eu
here=$PWD
export HOME="$here" CCACHE_DISABLE=1
kit=$1
it=$1/$2
name=${2#*_}

if [ -f "$it/launch.o" ]; then
    { echo "#line 1 \"$name.cu\"" && sed -E -f "$kit/cu2cpp.sed" submission; } \
        >submission.cpp
    (cd "$kit/include" && $(cat "$kit/cu_compile") -I"$it" \
        -c "$here/submission.cpp" -o "$here/submission.o")
    objcopy -L main submission.o
    link=$(cat "$kit/cu_link")
    archives=$kit/libcuda_on_cpu.a
else
    { echo "#line 1 \"$name.c\"" && cat submission; } >submission.c
    $(cat "$kit/compile") -I"$kit/include" -I"$it" -c submission.c \
        -o submission.o
    objcopy $(sed 's/^/-G /' "$it/asked_for") submission.o
    link=$(cat "$kit/link")
    archives=$kit/libanswer.a
fi
$link submission.o "$it"/*.o $archives -lm -o worker 2>link.log || {
    sed -n 's/.*undefined reference to \(.*\)/\1: is not written/p
        s/.*multiple definition of \([^;]*\).*/\1: is there already/p' link.log |
        sort -u >&2
    exit 1
}
