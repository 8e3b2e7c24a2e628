#!/bin/sh
# flags.sh CXX: prints the flags that make this compiler call a hook before
# every load and store of a kernel, as the source (and nvcc's PTX) has them:
# not merged into vectors, nor turned into memcpy, nor a memcpy into stores
# without hooks. See docs/cuda_on_cpu.md.
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
