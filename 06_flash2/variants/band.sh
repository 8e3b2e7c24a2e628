#!/bin/sh
# 06_flash2/variants/band.sh RUN: flags.sh for a block mask of 32 x 32 blocks,
# with a 1 on the diagonal, left of it, and in the first column. docs/variants.md
set -eu

n=32
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
{
    printf '\223NUMPY\001\000v\000%-117s\n' \
        "{'descr': '<f4', 'fortran_order': False, 'shape': ($n, $n), }"
    # shellcheck disable=SC2059 # of 1 and 0 in fp32
    printf "$(awk -v n=$n 'BEGIN {
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                printf "%s", j == 0 || j == i || j == i - 1 ? \
                    "\\0\\0\\200\\77" : "\\0\\0\\0\\0"
    }')"
} >"$tmp/band.npy"

sh 06_flash2/variants/flags.sh "$1" --block-mask "$tmp/band.npy" --block-size $n
