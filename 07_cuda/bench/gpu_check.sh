#!/bin/sh
# 07_cuda/bench/gpu_check.sh OUT [PART]: on a machine with a GPU, all that can be
# known of the ladder there. Three parts, each made to take under ten minutes on
# an H200; without PART all of them:
#
#   contract   the contract on every rung
#   races      compute-sanitizer on small shapes, 100 equal runs (of Hopper's
#              rungs 250, shaken)
#   bench      the benchmark; and PyTorch's, where python3 has it
#
# What the GPU cannot run is left out. Writes into OUT, as it goes:
#
#   environment.txt   the GPU, its driver, nvcc
#   clocks.csv        the clocks, every second of the benchmarks
#   *.log             what a test, a tool or a benchmark said
#   ladder.tsv        every rung: ms, TFLOP/s, percent of the measured peak
#   backward.tsv      the backward pass: the same
#   decode.tsv        decoding: us, GB/s, percent of a copy's
#   torch.tsv         PyTorch's backends
#
# Goes on after a failure, of a build too, names it, and ends with 1; with 3
# where there is no GPU. A program that hangs is ended. docs/results/README.md
set -u
export LC_ALL=C
out=${1:?usage: gpu_check.sh OUT [PART]}
part=${2:-all}
make=${MAKE:-make}
nvcc=${NVCC:-nvcc}
gpu=${GPU:-build/07_cuda/gpu}
failures=0

case $part in
all | contract | races | bench) ;;
*)
    echo "gpu-check: PART=$part: allowed are contract, races and bench" >&2
    exit 2
    ;;
esac

wanted() {
    [ "$part" = all ] || [ "$part" = "$1" ]
}

fail() {
    echo "FAILED  $1"
    failures=$((failures + 1))
}

nothing() {
    echo "gpu-check: $1" >&2
    exit 3
}

# A build that was made elsewhere needs no compiler (make gpu-build).
carried=
if ! command -v "$nvcc" >/dev/null; then
    [ -e "$gpu/libladder.so" ] ||
        nothing "$nvcc not found (it needs a GPU and CUDA)"
    carried=yes
fi
command -v nvidia-smi >/dev/null ||
    nothing "nvidia-smi not found (it needs a GPU and CUDA)"
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader \
    2>/dev/null) || nothing "nvidia-smi finds no GPU, or no driver for it"
mkdir -p "$out" || exit 1
{
    if [ "$carried" ]; then
        echo "built elsewhere"
    else
        "$nvcc" --version | tail -2
    fi
    nvidia-smi --format=csv --query-gpu=name,compute_cap,driver_version,\
clocks.max.sm,clocks.max.mem,power.limit
} >"$out/environment.txt" 2>&1
arch=$(echo "$capability" | sed -n '1s/[^0-9]//gp')
hopper=
if [ "$arch" = 90 ]; then
    hopper=yes
else
    echo "-       not Hopper: rungs 8 and on, and their checks, are left out"
fi

# built FILE: of $gpu; what make says, where it can't, is in a log. A rung that
# doesn't compile is named, and the programs are made without it.
built() {
    if [ "$carried" ]; then
        [ -x "$gpu/$1" ] || fail "${1##*/}: not in the build that was carried"
        [ -x "$gpu/$1" ]
        return
    fi
    making=$out/${1##*/}.build.log
    $make --no-print-directory -j8 ANYHOW=1 STRICT= NVCC_ARCH="sm_$arch" \
        "$gpu/$1" >"$making" 2>&1 || {
        fail "${1##*/}: not built ($making)"
        return 1
    }
    grep '^FAILED' "$making" # a rung
    failures=$((failures + $(grep -c '^FAILED' "$making")))
    return 0
}

# tried NAME SECONDS TABLE COMMAND...: ended then, and killed if that doesn't
# help. What it says is in NAME.log; what it prints is in TABLE, if one is named.
# LIMIT=n: the seconds of all of them, for tools/test_tools.sh.
tried() {
    name=$1 seconds=${LIMIT:-$2} log=$out/$1.log table=${3:-$1.log}
    shift 3
    : >"$log"
    timeout -k 10 "$seconds" "$@" >>"$out/$table" 2>>"$log"
    status=$?
    case $status in
    0) return 0 ;;
    124 | 137) fail "$name: still running after $seconds s ($log)" ;;
    *) fail "$name: exit $status ($log)" ;;
    esac
    return 1
}

# --- The contract ------------------------------------------------------------

# CMocka may be missing here: docs/results/README.md says how to carry it.
contract() {
    built "tests/$1" && tried "$1" "$2" '' "$gpu/tests/$1" &&
        echo "ok      $1: $(grep -c '^\[       OK' "$log") claims"
}

if wanted contract; then
    contract test_ladder 240
    contract test_backward_rungs 80
    [ "$hopper" ] && contract test_hopper 210
    [ "$hopper" ] && contract test_fp8 60
fi

# --- Races -------------------------------------------------------------------

# racecheck cannot follow TMA, nor synccheck mbarriers: Hopper's rungs are
# shaken instead.
sanitize() {
    tried "sanitizer_$1" 120 '' compute-sanitizer --tool "$1" \
        --error-exitcode 9 "$gpu/bench/repeat" "$2" small &&
        echo "ok      $1: $(grep 'kernels run' "$log")"
}

# again PROGRAM RUNGS: the same bits every time.
again() {
    built "bench/$1" && tried "$1_$2" 90 '' "$gpu/bench/$1" "$2" &&
        echo "ok      $1 $2: $(tail -1 "$log")"
}

if wanted races; then
    again repeat older
    if ! command -v compute-sanitizer >/dev/null; then
        fail "compute-sanitizer not found"
    elif [ -x "$gpu/bench/repeat" ]; then
        sanitize memcheck all
        sanitize initcheck all
        sanitize racecheck older
        sanitize synccheck older
    fi
    for program in ${hopper:+repeat repeat_2 repeat_3 repeat_4}; do
        again "$program" hopper
    done
fi

# --- The benchmark -----------------------------------------------------------

# timed TABLE SECONDS COMMAND...: it grows as the program runs; of the largest
# shape, not causal, and of decoding, it is shown.
timed() {
    what=$1
    limit=$2
    shift 2
    : >"$out/$what.tsv"
    tried "bench_$what" "$limit" "$what.tsv" "$@" && cat "$log"
    awk -F '\t' 'NR > 1 && $3 == 4 && $6 == 128 && $7 == 0 {
        printf "  %-21s %-5s %9.3f ms %7.1f TFLOP/s %6s%%\n", $1, $2, $8, $9, $10
    }
    $1 == "split_kv" {
        printf "  decoding, B %d, %d heads, %d of K and V, Nq %d, Nk %d, d %d: " \
            "%.0f GB/s, %s%% of a copy\n", $3, $4, $5, $6, $7, $8, $10, $11
    }' "$out/$what.tsv"
}

if wanted bench && built bench/bench; then
    nvidia-smi --format=csv --loop=1 --query-gpu=timestamp,clocks.sm,clocks.mem,\
temperature.gpu,power.draw,clocks_throttle_reasons.active >"$out/clocks.csv" &
    logger=$!
    trap 'kill $logger 2>/dev/null' EXIT
    trap 'exit 130' INT TERM
    timed ladder 240 "$gpu/bench/bench" forward
    timed backward 50 "$gpu/bench/bench" backward
    [ "$hopper" ] && timed decode 120 "$gpu/bench/bench" decode
    python3 -c 'import torch' 2>/dev/null &&
        timed torch 180 python3 07_cuda/bench/bench_torch.py
    kill $logger 2>/dev/null
    wait $logger 2>/dev/null
fi

echo "$failures failed"
[ "$failures" -eq 0 ]
