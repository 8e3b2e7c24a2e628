#!/bin/sh
# 07_cuda/host/run.sh: what ./run is in chapter 07. The GPU's program where
# there is a GPU and nvcc has built it; else, or where CUDA_ON_CPU is set, the
# one with the emulator. Both lie beside the place that the link leads to.
here=$(dirname "$(readlink -f "$0")")

if [ -z "${CUDA_ON_CPU-}" ] && [ -x "$here/gpu/run" ] &&
    nvidia-smi -L >/dev/null 2>&1; then
    exec "$here/gpu/run" "$@"
fi
exec "$here/cpu/run" "$@"
