#!/bin/sh
# tools/left_out.sh [LINE...]: the end of a tour or of the tests: says what was
# left out because this machine lacks something, as LEFT_OUT and NO_MPI (from
# the Makefile) and each LINE have it. With REQUIRE=all that is an error, unless
# it was asked for by NO_CUDA.
set -u
export LC_ALL=C

status=0
for line in "${LEFT_OUT-}" "${NO_MPI-}" "$@"; do
    [ -n "$line" ] || continue
    case $line in
    *NO_CUDA*) ;;
    *) [ "${REQUIRE-}" = all ] && status=1 ;;
    esac
    echo "$line"
done
[ "$status" -eq 0 ] || echo "REQUIRE=all: nothing may be left out" >&2
exit "$status"
