#!/bin/sh
# 07_cuda/host/run.sh: ./run and ./flash-cuda of chapter 07. Runs the program for the
# GPU if it was built for the first GPU of this machine (gpu_arch.sh). Otherwise, or if
# CUDA_ON_CPU is set, runs the program with the emulator. build/07_cuda/NAME is a copy of
# this script; the programs are build/07_cuda/gpu/NAME and build/07_cuda/cpu/NAME.
self=$(readlink -f "$0")
name=${self##*/07_cuda/}
root=${self%/"$name"}
first=${CUDA_VISIBLE_DEVICES-0}
export CUDA_DEVICE_ORDER=PCI_BUS_ID # as nvidia-smi

if [ -z "${CUDA_ON_CPU-}" ] && [ -x "$root/gpu/$name" ]; then
    arch=sm_$(nvidia-smi --id="${first%%,*}" --query-gpu=compute_cap \
        --format=csv,noheader 2>/dev/null | tr -dc 0-9)
    built=$(cat "$root/gpu/arch")
    [ "$arch" != "$built" ] || exec "$root/gpu/$name" "$@"
    [ "$arch" = sm_ ] ||
        echo "on the CPU: built for $built, and this GPU is $arch; use make" >&2
fi
exec "$root/cpu/$name" "$@"
