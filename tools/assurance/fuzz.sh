#!/bin/sh
# tools/assurance/fuzz.sh FOLDER SECONDS: libFuzzer makes up files, and then
# command lines, so many seconds each, for FOLDER/fuzz (fuzz.c). What it found
# worth keeping stays in FOLDER, and the next run begins with it. Ends with
# `N passed, N failed`.
set -u
export LC_ALL=C

failed=0
mkdir -p "$1/npy" "$1/options"
cp common/data/q.npy "$1/npy/q"
head -c 1000 common/data/k.npy >"$1/npy/cut"
# An example of each: "\223NUMPY", 1.0, a header of 118 bytes, the numbers.
for shape in '()' '(3,)' '(2, 3)' '(0, 5)'; do
    printf '\223NUMPY\1\0v\0%-117s\n%24s' \
        "{'descr': '<f4', 'fortran_order': False, 'shape': $shape, }" '' \
        >"$1/npy/$shape"
done
printf '%s\n' --n 9 --d=4 --step flash2 --scale 0.5 --causal >"$1/options/one"
printf '%s\n' --q a --k b --v c --out o --sram 100 >"$1/options/two"
# The words of --help, for the fuzzer to put together.
grep -oh '_OPTION("[a-z-]*' common/program/problem_options.c |
    sed 's/.*"/"--/; s/$/"/' >"$1/words"
cd "$1" || exit 1 # outputs are tried, beside what lies here
for what in npy options; do
    export FUZZ=$what
    ./fuzz -max_total_time="$2" -max_len=4000 -dict=words \
        -rss_limit_mb=4096 -timeout=10 -close_fd_mask=1 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="$what-" "$what" \
        >"$what.log" 2>&1 || { failed=$((failed + 1)) && cat "$what.log"; }
    awk -v what=$what '/number_of_executed/ { print what ": " $2 " inputs" }' \
        "$what.log"
done
echo "$((2 - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
