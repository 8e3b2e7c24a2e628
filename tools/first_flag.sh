#!/bin/sh
# tools/first_flag.sh FLAGS...: prints the first argument (one flag or several) with
# which CC builds a program without a warning. If there is none, it prints an empty line.
# The program must also run: an OpenMP library of another C library links, but crashes.
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
    # shellcheck disable=SC2086 # must split into words
    if echo "$program" | ${CC:-cc} $flag -x c - -o "$dir/program" \
        2>"$dir/said" && [ ! -s "$dir/said" ] && "$dir/program" 2>/dev/null; then
        echo "$flag"
        exit
    fi
done
echo
