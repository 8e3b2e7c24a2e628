#!/bin/sh
# tools/test_gpu_check.sh: does 07_cuda/bench/gpu_check.sh run what it should,
# and is it red when one of its programs is? No GPU: nvidia-smi, nvcc, python3,
# compute-sanitizer and all programs are stand-ins, which write down how they
# were called. What the programs do on a GPU is not tested here.
set -u

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

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
        test_fp8; do
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
    stand_in "$tmp/gpu/bench/bench_decode" 'printf "step\tdtype\n"'
}

# gpu_check: its exit code; what it says in $tmp/said, what it ran in calls.
gpu_check() {
    : >"$tmp/calls"
    PATH=$tmp/bin:$PATH MAKE=make NVCC=nvcc GPU=$tmp/gpu \
        sh 07_cuda/bench/gpu_check.sh "$tmp/out" >"$tmp/said" 2>&1
}

# must WHAT COMMAND...: the command must succeed.
must() {
    what=$1
    shift
    "$@" && return
    failed=$((failed + 1))
    echo "  FAILED  gpu-check: $what"
    sed 's/^/  | /' "$tmp/said"
}

not() {
    ! "$@"
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
must "initcheck sees all rungs" ran \
    "compute-sanitizer --tool initcheck --error-exitcode 9 $repeat all small"
must "racecheck sees those that it can follow" ran \
    "compute-sanitizer --tool racecheck --error-exitcode 9 $repeat older small"
must "the older rungs are repeated" ran 'repeat older'
for program in repeat repeat_2 repeat_3 repeat_4; do
    must "Hopper's rungs are repeated by $program" ran "$program hopper"
done
must "the shapes are tried" ran 'test_hopper_shapes '
must "decoding is timed" ran 'bench_decode '
must "the clocks are logged" ran 'nvidia-smi .*--loop=1.*'

for program in tests/test_ladder tests/test_hopper_shapes bench/repeat \
    bench/repeat_3 bench/bench bench/bench_decode; do
    scene 9.0
    stand_in "$tmp/gpu/$program" 'exit 1'
    must "is red where $program fails" not gpu_check
    must "names $program" said "FAILED  .*${program#*/}"
    must "goes on after $program" ran 'bench '
done

scene 9.0
rm "$tmp/bin/compute-sanitizer"
if ! command -v compute-sanitizer >/dev/null; then
    must "is red without compute-sanitizer" not gpu_check
fi

scene 8.0
must "is green on another GPU" gpu_check
must "says in one line what it leaves out" said 'not Hopper'
must "tests no rung of Hopper there" not ran 'test_hopper.*'
must "shakes none" not ran 'repeat.* hopper'
must "times no decoding" not ran 'bench_decode .*'
must "still repeats the older" ran 'repeat older'

[ "$failed" -eq 0 ] && echo "gpu-check runs what it should"
[ "$failed" -eq 0 ]
