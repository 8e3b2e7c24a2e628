#!/bin/sh
# tools/left_out.sh [LINE...]: prints what `make tour` or the tests left out because this
# machine lacks something: LEFT_OUT and NO_MPI (from the Makefile), and each LINE. With
# REQUIRE=all it then exits with 1, except if NO_CUDA is the only reason.
set -u
export LC_ALL=C
left=$(printf '%s\n' "${LEFT_OUT-}" "${NO_MPI-}" "$@" | grep .) || exit 0
echo "$left"
[ "${REQUIRE-}" = all ] && echo "$left" | grep -qv NO_CUDA || exit 0
echo "REQUIRE=all: the parts above are left out; none may be" >&2
exit 1
