#!/bin/sh
# 07_cuda/host/gpu_arch.sh [card]: prints the architecture of this machine's GPU for nvcc,
# such as sm_86. With several GPUs it is the first one of CUDA_VISIBLE_DEVICES, in the
# order of nvidia-smi. Fails with a line on stderr if the GPU, its driver or nvcc does not
# fit. With `card` it checks only the GPU.
set -u
export LC_ALL=C
nvcc=${NVCC:-nvcc}
first=${CUDA_VISIBLE_DEVICES-0}

no() {
    echo "$1" >&2
    exit 3
}

command -v nvidia-smi >/dev/null || no "nvidia-smi not found (it needs a GPU and CUDA)"
capability=$(nvidia-smi --id="${first%%,*}" --query-gpu=compute_cap \
    --format=csv,noheader 2>/dev/null | tr -dc 0-9.)
arch=$(echo "$capability" | tr -d .)
[ "$arch" ] || no "nvidia-smi finds no GPU, or no driver for it"
[ "$arch" -ge 75 ] ||
    no "the GPU has compute capability $capability; 7.5 or later is needed"
[ "${1-}" != card ] || { echo "sm_$arch" && exit; }

command -v "${nvcc%% *}" >/dev/null || no "$nvcc not found (it needs a GPU and CUDA)"
# shellcheck disable=SC2086 # NVCC may be a command with options
version=$($nvcc --version 2>&1 | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
[ "$version" ] || no "$nvcc does not run: it prints no version"
[ "${version%.*}" -ge 12 ] || no "nvcc $version is too old; CUDA 12.0 or later is needed"
# shellcheck disable=SC2086
$nvcc --list-gpu-code 2>&1 | grep -qx "sm_$arch" ||
    no "nvcc $version cannot compile for sm_$arch; another CUDA is needed"
driver=$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\)\..*/\1/p')
[ "${driver:-99}" -ge "${version%.*}" ] ||
    no "the driver is for CUDA $driver and nvcc for CUDA $version; update the driver"
echo "sm_$arch"
