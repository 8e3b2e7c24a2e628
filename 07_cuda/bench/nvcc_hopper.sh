#!/bin/sh
# nvcc_hopper.sh FILE.cu...: compiles each for sm_90a and fails on a spill, a
# stack frame, or a warning C75xx, by which ptxas says that it made wgmma wait
# where the source didn't. Needs no GPU. The machine code stays, for sass-check.
set -u
export LC_ALL=C

folder=${BUILD:-build}/07_cuda/nvcc
mkdir -p "$folder" || exit 1
command -v "${NVCC:=nvcc}" >/dev/null || {
    echo "$NVCC: not found (nvcc of CUDA 12 or later)" >&2
    exit 1
}
failed=0
for file in "$@"; do
    log=$folder/$(basename "$file" .cu).sm_90a.log
    cubin=${log%.log}.cubin
    # Not again if nothing has changed.
    [ -e "$cubin" ] && [ -z "$(find "$file" 07_cuda/*.h 07_cuda/tile \
        07_cuda/ptx 07_cuda/fp8 07_cuda/backward 07_cuda/bench -newer "$cubin")" ] ||
        "$NVCC" -O3 -std=c++17 -I. -Xptxas -v -cubin -o "$cubin" \
            -gencode=arch=compute_90a,code=sm_90a "$file" >"$log" 2>&1 || {
        cat "$log" >&2
        rm -f "$cubin"
        exit 1
    }
    if grep -E 'C75[0-9][0-9]|warning' "$log" >&2 ||
        grep -E '[1-9][0-9]* bytes (stack|spill)' "$log" >&2; then
        echo "$file: see above" >&2
        failed=1
    fi
    printf '  %-32s %s registers, no spill\n' "$file" \
        "$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$log" | tr '\n' ' ')"
done
exit $failed
