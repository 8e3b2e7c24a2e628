#!/bin/sh
# tools/first_flag.sh FLAG...: prints the first flag with which the compiler CC
# builds a program, or an empty line. -fopenmp is tried with OpenMP's library.
set -u
export LC_ALL=C

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

for flag in "$@"; do
    case $flag in
    -fopenmp) program='#include <omp.h>
                       int main(void) { return omp_get_max_threads() < 1; }' ;;
    *) program='int main(void) { return 0; }' ;;
    esac
    if echo "$program" |
        ${CC:-cc} "$flag" -x c - -o "$dir/program" 2>/dev/null; then
        echo "$flag"
        exit
    fi
done
echo
