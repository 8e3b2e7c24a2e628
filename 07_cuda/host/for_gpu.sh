#!/bin/sh
# 07_cuda/host/for_gpu.sh NAME: builds $GPU/NAME for this machine's GPU. If the GPU, its
# driver or nvcc does not fit, prints one line with the reason and removes $GPU/NAME, so
# that run.sh uses the CPU. Prints nothing on a machine without nvidia-smi. Without nvcc
# keeps a program that was built elsewhere. Exits with 0.
set -u
export LC_ALL=C
program=$GPU/$1
log=$GPU.log

command -v nvidia-smi >/dev/null || exit 0
command -v "${NVCC%% *}" >/dev/null || [ ! -x "$program" ] || exit 0
if why=$(sh 07_cuda/host/gpu_arch.sh 2>&1); then
    [ -x "$program" ] || echo "building for $why: takes minutes the first time"
    mkdir -p "$GPU"
    if "$MAKE" --no-print-directory -j"$(nproc)" ANYHOW=1 "$program" >"$log" 2>&1; then
        sed -n 's/^FAILED  /left out: /p' "$log"
        exit 0
    fi
    why="nvcc does not build it; see $log"
fi
rm -f "$program"
echo "on the CPU: $why"
