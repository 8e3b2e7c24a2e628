#!/bin/sh
# flags.sh CXX: prints the flags with which compiler CXX inserts a call of a hook
# before every load and store of a kernel, and checks of bounds and alignment.
# The loads and stores must be those of the source, as in nvcc's PTX. So the flags
# also forbid optimisations such as vectors, and constants in place of static variables
# that the file never writes. Page: docs/cuda_on_cpu.md.
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
        -fno-extern-tls-init -fno-ipa-reference-addressable --param tsan-distinguish-volatile=1
    ;;
esac
