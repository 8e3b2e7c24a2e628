#!/bin/sh
# ptx_run.sh LIBRARY FILE.cu: compiles a file to PTX with line numbers, and runs it on the
# interpreter in the folder LIBRARY. CARD sets the emulated card and the architecture.
set -eu
export LC_ALL=C
file=$2
nvcc=${NVCC:-nvcc}
[ -f "$file" ] || {
    echo "ptx-run: FILE=$file: no such file (make ptx-run FILE=x.cu)" >&2
    exit 2
}
command -v "$nvcc" >/dev/null || {
    echo "ptx-run: $nvcc: not found; make cuda-check does not need nvcc" >&2
    exit 3
}
case ${CARD:-h100} in
t4) arch=75 ;; rtx3060) arch=86 ;; rtx4090) arch=89 ;; a100 | b200 | rtx5090) arch=80 ;;
*) arch=90a ;;
esac
program=$1/$(basename "$file" .cu)
"$nvcc" -O3 -std=c++17 -lineinfo -I. -I"$(dirname "$file")" -cudart shared \
    -gencode="arch=compute_$arch,code=compute_$arch" -Xfatbin -compress=false \
    -o "$program" "$file"
LD_LIBRARY_PATH=$1 exec "$program"
