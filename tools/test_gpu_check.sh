#!/bin/sh
# tools/test_gpu_check.sh: does 07_cuda/bench/gpu_check.sh run what it should,
# and is it red when one of its programs is? No GPU: nvidia-smi, nvcc, python3,
# compute-sanitizer and all programs are stand-ins, which write down how they
# were called. What the programs do on a GPU is not tested here.
set -u
. tools/count.sh

# stand_in NAME LINE...: a program that notes its call, then does this.
stand_in() {
    file=$1
    shift
    {
        echo '#!/bin/sh'
        echo "echo \"\${0##*/} \$*\" >>'$tmp/calls'"
        printf '%s\n' "$@"
    } >"$file"
    chmod +x "$file"
}

# scene CAPABILITY: a machine on which all goes well.
scene() {
    rm -rf "${tmp:?}/bin" "${tmp:?}/gpu" "${tmp:?}/out"
    mkdir -p "$tmp/bin" "$tmp/gpu/bench" "$tmp/gpu/tests"
    stand_in "$tmp/bin/nvidia-smi" \
        "case \$* in *loop*) exec sleep 60 ;; *=compute_cap*) echo $1 ;; esac"
    stand_in "$tmp/bin/nvcc" 'echo release 13; echo build'
    stand_in "$tmp/bin/python3" 'exit 1' # no torch
    # shellcheck disable=SC2016 # for the stand-in
    stand_in "$tmp/bin/compute-sanitizer" \
        'while [ "${1#--}" != "$1" ]; do' \
        'case $1 in --tool | --error-exitcode) shift ;; esac; shift; done' \
        '"$@" || exit 9'
    stand_in "$tmp/bin/make" true
    for t in test_ladder test_ladder_fp16 test_hopper test_hopper_shapes \
        test_fp8 test_backward_rungs test_backward_hopper; do
        stand_in "$tmp/gpu/tests/$t" 'echo "[       OK ] a"'
    done
    for t in repeat repeat_2 repeat_3 repeat_4; do
        stand_in "$tmp/gpu/bench/$t" 'echo "4 kernels run once, 0 wrong"'
    done
    # It takes as long as the logger of the clocks needs to begin.
    # shellcheck disable=SC2016 # for the stand-in
    stand_in "$tmp/gpu/bench/bench" 'n=0' \
        "until grep -q -e --loop '$tmp/calls' || [ \$n = 100 ]; do" \
        'n=$((n + 1)); sleep 0.1; done' \
        'printf "step\tdtype\tB\tH\tN\td\tcausal\tms\n"' \
        'printf "full\tbf16\t4\t16\t4096\t128\t0\t1.5\t366.5\t47\t0.01\n"'
    # shellcheck disable=SC2016 # for the stand-in
    stand_in "$tmp/gpu/bench/bench_backward" \
        'printf "step\tdtype\tB\tH\tN\td\tcausal\tms\n"' \
        'printf "backward_wgmma\tbf16\t4\t16\t4096\t128\t0\t2\t77.5\t9\t0.01\n"'
    stand_in "$tmp/gpu/bench/bench_decode" 'printf "step\tdtype\n"'
}

# gpu_check [PART]: its exit code; what it says in $tmp/said, what it ran in
# calls.
gpu_check() {
    : >"$tmp/calls"
    PATH=$tmp/bin:$PATH MAKE=make NVCC=${COMPILER:-nvcc} GPU=$tmp/gpu \
        LIMIT=${LIMIT:-60} \
        sh 07_cuda/bench/gpu_check.sh "$tmp/out" "$@" >"$tmp/said" 2>&1
    ended=$?
    cat "$tmp/said"
    return $ended
}

ran() {
    grep -qx -- "$1" "$tmp/calls"
}

said() {
    grep -q -- "$1" "$tmp/said"
}

scene 9.0
must "is green where all goes well" gpu_check
must "prints the figures" said 'full  *bf16  *1.500 ms *366.5 TFLOP/s'
must "memcheck sees all rungs" ran "compute-sanitizer --tool memcheck \
--error-exitcode 9 $tmp/gpu/bench/repeat all small"
must "racecheck sees those that it can follow" ran "compute-sanitizer --tool \
racecheck --error-exitcode 9 $tmp/gpu/bench/repeat older small"
for call in 'repeat older' 'repeat hopper' 'repeat_2 hopper' 'repeat_3 hopper' \
    'repeat_4 hopper' 'bench_decode ' 'bench_backward ' 'nvidia-smi .*--loop=1.*'; do
    must "runs $call" ran "$call"
done

# red PROGRAM LINE PART: that program does this: the part is red, names it, and
# goes on to the program after it.
red() {
    scene 9.0
    stand_in "$tmp/$1" "$2"
    must "is red: $1: $2" not gpu_check "$3"
    must "names it: $1" said "FAILED  .*$4"
    must "goes on after it: $1" ran "$5"
}
red gpu/tests/test_ladder 'exit 1' contract test_ladder 'test_hopper '
red gpu/bench/repeat_3 'exit 1' races repeat_3 'repeat_4 hopper'
red bin/make 'case $* in *repeat_3*) exit 2 ;; esac' races 'repeat_3: not built' \
    'repeat_4 hopper'
red bin/make 'echo "FAILED  07_cuda/rung3_float4.cu: not compiled"' contract \
    'rung3_float4.cu: not compiled' 'test_ladder '
must "builds for the GPU that is there" ran 'make .* NVCC_ARCH=sm_90 .*'
LIMIT=1
red gpu/tests/test_hopper 'exec sleep 60' contract test_hopper 'test_fp8 '
LIMIT=

scene 9.0
# It fails, and kills who started it besides: timeout's parent.
# shellcheck disable=SC2016 # for the stand-in
stand_in "$tmp/gpu/bench/bench" 'printf "step\tdtype\nfull\tbf16\n"' \
    'kill -KILL $(cut -d " " -f 4 /proc/$PPID/stat)'
must "ends when it is killed" not gpu_check bench
must "keeps what it had measured" grep -q '^full' "$tmp/out/ladder.tsv"
must "does this part alone" not ran 'test_fp8 '

scene 9.0
must "refuses an unknown part" not gpu_check contrakt
must "names the parts" said 'allowed are contract, races and bench'
COMPILER=no-nvcc
must "needs a compiler or a build" not gpu_check
: >"$tmp/gpu/libladder.so"
must "runs a build that was carried" gpu_check
COMPILER=
stand_in "$tmp/bin/nvidia-smi" 'exit 9'
gpu_check >/dev/null
must "exits 3 without a driver" test $? -eq 3

scene 8.0
must "is green on another GPU" gpu_check
must "tests no rung of Hopper there" not ran 'test_hopper.*'
must "times the way back there" ran 'bench_backward '

finish
