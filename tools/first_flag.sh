#!/bin/sh
# tools/first_flag.sh FLAGS...: prints the first argument (a flag, or several)
# with which the compiler CC builds a program without a word, or an empty line.
# -fopenmp is tried with OpenMP's library, and what was built must run: one of
# another C library is linked, and crashes.
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
    # shellcheck disable=SC2086 # several words
    if echo "$program" | ${CC:-cc} $flag -x c - -o "$dir/program" \
        2>"$dir/said" && [ ! -s "$dir/said" ] && "$dir/program" 2>/dev/null; then
        echo "$flag"
        exit
    fi
done
echo
