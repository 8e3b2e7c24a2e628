#!/bin/sh
# full_without.sh PART: prints rung 7 without one of its optimisations (full_without.h).
set -eu
export LC_ALL=C
part=$1
code=$(cat 07_cuda/rung7_full.cu)

# without OLD NEW: replaces the text OLD, which must be in the code.
without() {
    case $code in
    *"$1"*) code=${code%%"$1"*}$2${code#*"$1"} ;;
    *) echo "full_without.sh: $part: not in rung 7: $1" >&2 && exit 1 ;;
    esac
}

case $part in
rows_32) without 'Rows = D < 256 ? 32 : 16' 'Rows = 16' ;;
exp2)
    without 'float m, float c)' 'float m, float)'
    without 'exp2_approx(fmaf(x, c, m == -INFINITY ? 0 : -m * c))' 'exp_minus(x, m)'
    without 'float m_new, float c)' 'float m_new, float)'
    without 'exp2_approx(fminf(m_prev - m_new, 0) * c)' 'exp_minus(m_prev, m_new)'
    without 'if (!(p.scale > 0))' 'if (true)'
    without 'p.scale < 0 ? -1 : 0' 'p.scale'
    without '] *= scale;' '] *= 1;'
    ;;
edges) without 'if (j0 + Bc > keys_seen(p, first))' 'if (true)' ;;
skip)
    without 'keys_seen(p, min(i0 + Br, p.Nq) - 1)' 'p.Nk'
    without 'keys_seen(p, min(first + is::Rows, p.Nq) - 1)' 'p.Nk'
    ;;
longest) without 'gridDim.x - 1 - blockIdx.x' 'blockIdx.x' ;;
*) echo "full_without.sh: $part: no such part" >&2 && exit 2 ;;
esac
without '#include "07_cuda/tile/launch.cuh"' '#include "07_cuda/bench/full_without.h"
#include "07_cuda/tile/launch.cuh"'
without 'int rung_full(' "int rung_full_without_$part("
printf '%s\n' "$code"
