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

# code_of N COMMAND...: exits with that code.
code_of() {
    code=$1
    shift
    "$@"
    [ $? -eq "$code" ]
}

ran() {
    grep -qx -- "$1" "$tmp/calls"
}

said() {
    grep -q -- "$1" "$tmp/said"
}

repeat=$tmp/gpu/bench/repeat

scene 9.0
must "is green where all goes well" gpu_check
must "prints the figures" said 'full  *bf16  *1.500 ms *366.5 TFLOP/s'
must "memcheck sees all rungs" ran \
    "compute-sanitizer --tool memcheck --error-exitcode 9 $repeat all small"
must "racecheck sees those that it can follow" ran \
    "compute-sanitizer --tool racecheck --error-exitcode 9 $repeat older small"
must "the older rungs are repeated" ran 'repeat older'
for program in repeat repeat_2 repeat_3 repeat_4; do
    must "Hopper's rungs are repeated by $program" ran "$program hopper"
done
must "decoding is timed" ran 'bench_decode '
must "the way back is timed" ran 'bench_backward '
must "the clocks are logged" ran 'nvidia-smi .*--loop=1.*'

for program in tests/test_ladder bench/repeat_3 bench/bench; do
    scene 9.0
    stand_in "$tmp/gpu/$program" 'exit 1'
    must "is red where $program fails" not gpu_check
    must "names $program" said "FAILED  .*${program#*/}"
    must "goes on after $program" ran 'bench '
done

# The likeliest failures of a first run.
scene 9.0
stand_in "$tmp/gpu/tests/test_hopper" 'exec sleep 60'
LIMIT=1
must "is red where a kernel never ends" not gpu_check contract
LIMIT=
must "goes on after a kernel that never ends" ran 'test_fp8 '

scene 9.0
stand_in "$tmp/bin/make" 'case $* in *repeat_3*) echo error; exit 2 ;; esac'
must "is red where one program doesn't compile" not gpu_check races
must "runs the others" ran 'repeat_4 hopper'

scene 9.0
stand_in "$tmp/gpu/bench/bench" 'printf "step\tdtype\nfull\tbf16\n"' \
    'exec sleep 60'
LIMIT=1
must "is red where the benchmark never ends" not gpu_check bench
LIMIT=
must "keeps what it had measured" grep -q '^full' "$tmp/out/ladder.tsv"

scene 9.0
must "does one part" gpu_check contract
must "and no other" not ran 'repeat.*'
must "refuses an unknown part" code_of 2 gpu_check contrakt
must "names the parts" said 'allowed are contract, races and bench'

scene 9.0
stand_in "$tmp/bin/nvidia-smi" 'echo no driver >&2; exit 9'
must "exits 3 without a driver" code_of 3 gpu_check

scene 9.0
COMPILER=no-nvcc
must "exits 3 without a compiler and without a build" code_of 3 gpu_check
: >"$tmp/gpu/libladder.so"
must "runs a build that was carried" gpu_check
rm "$tmp/gpu/tests/test_fp8"
must "is red where the build lacks a program" not gpu_check
COMPILER=

scene 8.0
must "is green on another GPU" gpu_check
must "tests no rung of Hopper there" not ran 'test_hopper.*'
must "still repeats the older" ran 'repeat older'

finish
