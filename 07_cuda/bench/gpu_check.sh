#!/bin/sh
# 07_cuda/bench/gpu_check.sh OUT: on a machine with a GPU, all that can be known
# of the ladder there, in under ten minutes on an H200: the contract on every
# rung, compute-sanitizer on small shapes, 100 equal runs (of Hopper's rungs
# 250, shaken), then the benchmark, beside PyTorch where python3 has it. On
# another GPU than Hopper (compute capability 9.0) its rungs are left out.
# Writes into OUT:
#
#   environment.txt   the GPU, its driver, nvcc
#   clocks.csv        the clocks, every second of the benchmarks
#   test_*.log        the contract; sanitizer_*.log: what the tools said
#   ladder.tsv        every rung: ms, TFLOP/s, percent of the measured peak
#   decode.tsv        decoding: us, GB/s, percent of a copy's
#   torch.tsv         the upper rungs beside PyTorch's backends, in turns
#
# Goes on after a failure, names it, and ends with 1. docs/results/README.md
set -u
export LC_ALL=C
out=${1:?usage: gpu_check.sh OUT}
make=${MAKE:-make}
gpu=${GPU:-build/07_cuda/gpu}
shaken="$gpu/bench/repeat_2 $gpu/bench/repeat_3 $gpu/bench/repeat_4"
failures=0

fail() {
    echo "FAILED  $1"
    failures=$((failures + 1))
}

for tool in "${NVCC:-nvcc}" nvidia-smi; do
    command -v "$tool" >/dev/null || {
        echo "gpu-check: $tool not found (it needs a GPU and CUDA)" >&2
        exit 1
    }
done
mkdir -p "$out" || exit 1

{
    "${NVCC:-nvcc}" --version | tail -2
    nvidia-smi --format=csv --query-gpu=name,compute_cap,driver_version,\
clocks.max.sm,clocks.max.mem,power.limit
} >"$out/environment.txt" 2>&1
hopper=
case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1) in
9.0) hopper=yes ;;
*) echo "-       not Hopper: rungs 8 and on, and their checks, are left out" ;;
esac

$make --no-print-directory -j8 "$gpu/bench/bench" "$gpu/bench/bench_decode" \
    "$gpu/bench/repeat" "$gpu/libladder.so" ${hopper:+$shaken} || exit 1

# CMocka may be missing here: docs/results/README.md says how to carry it.
for t in test_ladder test_ladder_fp16 \
    ${hopper:+test_hopper test_hopper_shapes test_fp8}; do
    if ! $make --no-print-directory "$gpu/tests/$t" >"$out/$t.log" 2>&1; then
        fail "$t: not built ($out/$t.log)"
    elif "$gpu/tests/$t" >>"$out/$t.log" 2>&1; then
        echo "ok      $t: $(grep -c '^\[       OK' "$out/$t.log") claims"
    else
        fail "$t ($out/$t.log)"
    fi
done

# racecheck cannot follow TMA, nor synccheck mbarriers: Hopper's rungs are
# shaken instead.
sanitize() {
    tool=$1 rungs=$2
    log=$out/sanitizer_$tool.log
    if timeout 120 compute-sanitizer --tool "$tool" --error-exitcode 9 \
        "$gpu/bench/repeat" "$rungs" small >"$log" 2>&1; then
        echo "ok      $tool: $(grep 'kernels run' "$log")"
    else
        fail "$tool ($log)"
    fi
}

if command -v compute-sanitizer >/dev/null; then
    sanitize memcheck all
    sanitize initcheck all
    sanitize racecheck older
    sanitize synccheck older
else
    fail "compute-sanitizer not found"
fi

# again PROGRAM RUNGS: the same bits every time.
again() {
    log=$out/${1##*/}_$2.log
    if "$1" "$2" >"$log" 2>&1; then
        echo "ok      ${1##*/} $2: $(tail -1 "$log")"
    else
        fail "${1##*/} $2 ($log)"
    fi
}

again "$gpu/bench/repeat" older
if [ "$hopper" ]; then
    again "$gpu/bench/repeat" hopper
    for program in $shaken; do
        again "$program" hopper
    done
fi

nvidia-smi --format=csv --loop=1 --query-gpu=timestamp,clocks.sm,clocks.mem,\
temperature.gpu,power.draw,clocks_throttle_reasons.active >"$out/clocks.csv" &
logger=$!
trap 'kill $logger 2>/dev/null' EXIT
trap 'exit 130' INT TERM

if timeout 240 "$gpu/bench/bench" >"$out/ladder.tsv.part" \
    2>"$out/bench.log"; then
    mv "$out/ladder.tsv.part" "$out/ladder.tsv"
    cat "$out/bench.log"
else
    fail "bench ($out/bench.log; what there is: ladder.tsv.part)"
fi

if [ -z "$hopper" ]; then
    echo "-       decoding is Hopper's: not timed"
elif timeout 120 "$gpu/bench/bench_decode" >"$out/decode.tsv.part" \
    2>"$out/decode.log"; then
    mv "$out/decode.tsv.part" "$out/decode.tsv"
    cat "$out/decode.log"
else
    fail "bench_decode ($out/decode.log; what there is: decode.tsv.part)"
fi

if python3 -c 'import torch' 2>/dev/null; then
    if timeout 180 python3 07_cuda/bench/bench_torch.py "$gpu/libladder.so" \
        >"$out/torch.tsv" 2>"$out/torch.log"; then
        echo "ok      PyTorch's backends ($out/torch.tsv)"
    else
        fail "bench_torch.py ($out/torch.log)"
    fi
else
    echo "-       python3 has no torch: nothing to compare with"
fi
kill $logger 2>/dev/null
wait $logger 2>/dev/null

echo
for table in ladder torch; do
    [ -s "$out/$table.tsv" ] || continue
    echo "$table at (4, 16, 4096, 128), not causal:"
    awk -F '\t' 'NR > 1 && $3 == 4 && $6 == 128 && $7 == 0 {
        printf "  %-16s %-5s %9.3f ms %7.1f TFLOP/s %6s%%\n", $1, $2, $8, $9, $10
    }' "$out/$table.tsv"
done
[ -s "$out/decode.tsv" ] && awk -F '\t' 'NR > 1 && $1 == "split_kv" {
    printf "  decoding, B %d, %d heads, %d of K and V, Nq %d, Nk %d, d %d: " \
        "%.0f GB/s, %s%% of a copy\n", $3, $4, $5, $6, $7, $8, $10, $11
}' "$out/decode.tsv"
echo "$failures failed"
[ "$failures" -eq 0 ]
