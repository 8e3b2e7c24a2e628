#!/bin/sh
# 07_cuda/host/run.sh: ./run and ./flash-cuda of chapter 07. Runs the program for the
# GPU if there is a GPU and nvcc has built this program. Otherwise, or if CUDA_ON_CPU
# is set, runs the program with the emulator. build/07_cuda/NAME is a copy of this
# script; the programs are build/07_cuda/gpu/NAME and build/07_cuda/cpu/NAME.
self=$(readlink -f "$0")
name=${self##*/07_cuda/}
root=${self%/"$name"}

if [ -z "${CUDA_ON_CPU-}" ] && [ -x "$root/gpu/$name" ] &&
    nvidia-smi -L >/dev/null 2>&1; then
    exec "$root/gpu/$name" "$@"
fi
exec "$root/cpu/$name" "$@"
