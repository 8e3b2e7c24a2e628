#!/bin/sh
# 06_flash2/variants/flags.sh FLASH FLAG...: prints a Markdown table with the HBM
# traffic of each of the steps below, without the flags and with them, and the
# error with the flags. FLASH is the program flash. docs/variants.md
set -eu

run=$1
shift
case $* in
*block-mask*) steps=flash2_block_mask ;;
*) steps=standard_attention,flash1,flash2_deferred,flash2,flash2_parallel,split_kv ;;
esac
causal_1024() {
    "$run" sweep --csv --n 1024 --causal --br 32 --bc 32 --steps "$steps" "$@"
}

{
    causal_1024
    causal_1024 "$@"
} | awk -F, -v flags="$*" '
    function moved() { return $11 + $12 }
    function dots(n) {
        return n < 1000 ? n : dots(int(n / 1000)) sprintf(",%03d", n % 1000)
    }
    BEGIN {
        gsub(/[^ ]*\//, "", flags) # removes the folders of a file
        print "| elements through HBM | without | with `" flags "` | error |"
        print "|---|---|---|---|"
    }
    $1 == "step" { again = NR > 1; next }
    !again { without[$1] = moved(); next }
    $16 {
        printf "| %s | %s | %s | %.1e |\n", $1, dots(without[$1]),
            dots(moved()), $22
    }'
