#!/bin/sh
# docs/lab/overlap_model.sh [PROGRAM]: what LLVM's models of two processors say
# of split_kv_simd with all that it reads at hand. gdb writes down the
# instructions of the first call in PROGRAM, a tile of 64 keys, for llvm-mca.
# Lines: d; instructions a cache line of K and V; the most between two that ask
# for memory, and how often there are more than 320; and for each processor what
# it looks ahead, and cycles a line.
set -eu
export LC_ALL=C
mca=${MCA:-llvm-mca-19}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for d in 64 128; do
    cat >"$work/steps" <<END
break *split_kv_simd_native
run >/dev/null
set \$h = (head *)\$rdi
set var \$h->d = $d
set var \$h->dv = $d
set var \$h->K.hbm.stride = $d
set var \$h->V.hbm.stride = $d
set \$end = *(unsigned long *)\$rsp
while \$pc != \$end
x/i \$pc
stepi
end
kill
END
    gdb -batch -x "$work/steps" "${1:-build/docs/lab/overlap}" 2>/dev/null |
        sed -nE 's/^=> [^\t]*\t//; T; s/<[^>]*>|#.*//g
                 s/^(j[a-z]+) .*/\1 0/; p' >"$work/tile.s"
    awk -v d=$d '{ gap++ }
        /^prefetch/ { if (gap > most) most = gap; long += gap > 320; gap = 0 }
        END { printf "%d\t%.2f\t%d\t%d", d, NR / (8 * d), most, long }' \
        "$work/tile.s"
    for cpu in sapphirerapids znver4; do
        "$mca" -mtriple=x86_64 -mcpu=$cpu -iterations=4 -retire-stats \
            "$work/tile.s" 2>/dev/null | awk -v d=$d '
            /^Total Cycles/ { cycles = $3 / 4 / (8 * d) }
            /^Total ROB/ { ahead = $4 }
            END { printf "\t%d\t%.2f", ahead, cycles }'
    done
    echo
done
