#!/bin/sh
# tools/test_gpu_check.sh: is 07_cuda/bench/gpu_check.sh green where all goes
# well, and red where one thing does not? No GPU: nvidia-smi, nvcc and all
# programs are stand-ins, which write down how they were called.
set -u
. tools/count.sh

# stand_in FILE COMMANDS: a program that notes its call, then does this.
stand_in() {
    printf '#!/bin/sh\necho "${0##*/} $*" >>%s\n%s\n' "$tmp/calls" "$2" \
        >"$tmp/$1" && chmod +x "$tmp/$1"
}

# scene CAPABILITY: a machine on which all goes well. A benchmark takes as long
# as the logger of the clocks needs to begin.
scene() {
    rm -rf "$tmp/out" "$tmp/calls"
    mkdir -p "$tmp/bin" "$tmp/gpu/bench" "$tmp/gpu/tests"
    stand_in bin/nvidia-smi \
        "case \$* in *loop*) exec sleep 60 ;; *=compute_cap*) echo $1 ;; esac"
    stand_in bin/nvcc 'echo release 13; echo build'
    stand_in bin/python3 'exit 1' # no torch
    stand_in bin/make true
    stand_in bin/compute-sanitizer 'shift 4; "$@" || exit 9'
    for t in test_ladder test_hopper test_fp8 test_backward_rungs; do
        stand_in "gpu/tests/$t" 'echo "[       OK ] a"'
    done
    for t in repeat repeat_2 repeat_3 repeat_4; do
        stand_in "gpu/bench/$t" 'echo "4 kernels run once, 0 wrong"'
    done
    stand_in gpu/bench/bench "sleep 1; printf 'step\nfull\tbf16\t4\n'"
}

# gpu_check [PART]
gpu_check() {
    PATH=$tmp/bin:$PATH MAKE=make NVCC=${COMPILER:-nvcc} GPU=$tmp/gpu LIMIT=5 \
        sh 07_cuda/bench/gpu_check.sh "$tmp/out" "$@" >"$tmp/said" 2>&1
}

# red PROGRAM COMMANDS PART NAMED NEXT: where that program does this the part is
# red, names it, and goes on to the program after it.
red() {
    scene 9.0
    stand_in "$1" "$2"
    must "is red: $1: $2" not gpu_check "$3"
    must "names it: $1" grep "FAILED  .*$4" "$tmp/said"
    must "goes on after it: $1" grep -x "$5" "$tmp/calls"
}

scene 9.0
must "is green where all goes well" gpu_check
must "racecheck sees those that it can follow" grep "compute-sanitizer --tool \
racecheck .*/repeat older small" "$tmp/calls"
red gpu/tests/test_ladder 'exit 1' contract test_ladder 'test_hopper '
red bin/make 'case $* in *repeat_3*) exit 2 ;; esac' races 'repeat_3: not built' \
    'repeat_4 hopper'
red gpu/tests/test_hopper 'exec sleep 60' contract test_hopper 'test_fp8 '
scene 8.0
must "is green on another GPU" gpu_check
must "tests no rung of Hopper there" not grep '^test_hopper' "$tmp/calls"
COMPILER=no-nvcc
must "needs a compiler or a build" not gpu_check
must "refuses an unknown part" not gpu_check contrakt
finish
