#!/bin/sh
# tools/grade/build.sh KIT EXERCISE: makes ./worker of ./submission.c, inside
# the sandbox. Only the asked-for functions stay visible, so that a main or a
# helper called `fill` is no trouble, neither theirs nor ours.
set -eu
export HOME="$PWD" CCACHE_DISABLE=1

kit=$1
it=$1/$2
sanitize=$(cat "$kit/sanitize")

# shellcheck disable=SC2086 # flags, several words
cc -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -g -Wall -Wextra -pipe $sanitize \
    -I"$kit/include" -I"$it" -c submission.c -o submission.o
# shellcheck disable=SC2046 # names, several words
objcopy $(sed 's/^/-G /' "$it/asked_for") submission.o
# shellcheck disable=SC2086
if ! cc $sanitize submission.o "$it"/*.o "$kit/libheads.a" \
    "$kit/libcommon.a" -lm -o worker \
    2>link.log; then
    sed -n 's/.*undefined reference to \(.*\)/\1: is not written/p' link.log |
        sort -u >&2
    exit 1
fi
