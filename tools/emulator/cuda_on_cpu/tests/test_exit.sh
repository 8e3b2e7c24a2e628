#!/bin/sh
# test_exit.sh PROGRAM: checks the exit status of PROGRAM, the compiled exit.cu.
# It is 1 after a reported mistake, even if main returns 0, else 0. It is 2 if an
# environment variable has an invalid value.
failed=0
expect() {
    want=$1
    shift
    "$@" >/dev/null 2>&1
    got=$?
    [ $got = $want ] && return
    echo "status $got, not $want: $*"
    failed=$((failed + 1))
}
expect 0 "$1"
expect 1 "$1" race
expect 1 "$1" unchecked
expect 0 env CUDA_ON_CPU=count "$1" race
expect 1 env CUDA_ON_CPU=full "$1" race
expect 0 env CUDA_ON_CPU_SEED=3 "$1"
expect 2 env CUDA_ON_CPU=fast "$1"
expect 2 env CUDA_ON_CPU_SEED=x "$1"
expect 2 env CUDA_ON_CPU_ROUND=x "$1"
expect 0 env CUDA_ON_CPU_ROUND= "$1" exact
expect 1 env CUDA_ON_CPU_ROUND=hardware "$1" exact
"$1" race 2>&1 | grep -q '^tools/emulator/cuda_on_cpu/tests/exit.cu:[0-9]*: race: ' || {
    echo "the finding does not begin with file and line"
    failed=$((failed + 1))
}
"$1" unchecked 2>&1 | grep -q 'exit.cu:[0-9]*: unchecked error: ' || {
    echo "cudaDeviceSynchronize reads the error of a launch that did not begin"
    failed=$((failed + 1))
}
if "$1" misaligned 2>&1 | grep 'unchecked'; then
    echo "cudaDeviceSynchronize does not read the error of a kernel"
    failed=$((failed + 1))
fi
expect 1 "$1" silent
expect 139 "$1" deep # SIGSEGV
expect 139 timeout 20 "$1" null
expect 0 env CUDA_ON_CPU_LIMIT=1 timeout 60 "$1" endless
"$1" race 2>/dev/null | grep -q 'the kernel has run' || {
    echo "the program's output is lost"
    failed=$((failed + 1))
}
[ -z "$("$1" silent 2>&1 >/dev/null)" ] || {
    echo "findings are printed after cuda_on_cpu_print_findings(0)"
    failed=$((failed + 1))
}
line=$(grep -n 'a\[t\], 1);' "${0%/*}/exit.cu" | cut -d : -f 1)
[ "$(CUDA_ON_CPU_SUMMARY=1 "$1" leave 2>&1 | grep 'note: lanes of' |
    cut -d : -f 2)" = "$line" ] || {
    echo "not one note for the last shuffle: $1 leave"
    failed=$((failed + 1))
}
echo "test_exit: $((21 - failed)) passed, $failed failed"
[ $failed = 0 ]
