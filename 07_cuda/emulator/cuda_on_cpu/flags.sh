#!/bin/sh
# flags.sh CXX: prints the flags with which this compiler calls a hook before
# every load and store of a kernel. The loads and stores are those of the source
# (and of nvcc's PTX): no vectors, no memcpy in place of a loop, and no stores
# without hooks in place of a memcpy. See docs/cuda_on_cpu.md.
case $("$1" --version 2>/dev/null) in
*clang*)
    echo -Wno-pass-failed -fsanitize=thread,array-bounds,alignment \
        -fno-vectorize -fno-slp-vectorize \
        -mllvm -tsan-instrument-read-before-write=1 \
        -mllvm -tsan-distinguish-volatile=1
    ;;
*)
    echo -fsanitize=thread,bounds,alignment \
        -fno-tree-vectorize -fno-store-merging \
        -fno-tree-loop-distribute-patterns \
        -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset \
        -fno-extern-tls-init --param tsan-distinguish-volatile=1
    ;;
esac
