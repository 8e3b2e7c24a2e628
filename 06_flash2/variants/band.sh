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
    i=0
    while [ "$i" -lt "$n" ]; do
        j=0
        while [ "$j" -lt "$n" ]; do
            if [ "$j" -eq 0 ] || [ "$j" -eq "$i" ] || [ "$j" -eq $((i - 1)) ]
            then
                printf '\000\000\200\077' # 1 in fp32
            else
                printf '\000\000\000\000'
            fi
            j=$((j + 1))
        done
        i=$((i + 1))
    done
} >"$tmp/band.npy"

sh 06_flash2/variants/flags.sh "$1" --block-mask "$tmp/band.npy" --block-size $n
