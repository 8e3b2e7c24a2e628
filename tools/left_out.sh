#!/bin/sh
# tools/left_out.sh [LINE...]: the end of a tour or of the tests: says what was
# left out because this machine lacks something, as LEFT_OUT and NO_MPI (from
# the Makefile) and each LINE have it. With REQUIRE=all that is an error, unless
# it was asked for by NO_CUDA.
set -u
export LC_ALL=C
left=$(printf '%s\n' "${LEFT_OUT-}" "${NO_MPI-}" "$@" | grep .) || exit 0
echo "$left"
[ "${REQUIRE-}" = all ] && echo "$left" | grep -qv NO_CUDA || exit 0
echo "REQUIRE=all: nothing may be left out" >&2
exit 1
