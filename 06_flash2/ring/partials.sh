#!/bin/sh
# 06_flash2/ring/partials.sh RING: the error of the ring for 1 to 8 ranks, with
# unfinished outputs kept in fp32 and in bf16. As Markdown.
set -eu

error_of() {
    sh 06_flash2/ring/mpirun.sh "$1" "$2" --step "$3" --n 256 |
        awk -v step="$3" '$1 == step { print $6 }'
}

echo "| ranks | fp32 | bf16 |"
echo "|---|---|---|"
for n in 1 2 4 8; do
    echo "| $n | $(error_of $n "$1" ring) | $(error_of $n "$1" ring_bf16) |"
done
