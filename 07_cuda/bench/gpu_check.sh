#!/bin/sh
# 07_cuda/bench/gpu_check.sh OUT [PART]: checks and times the ladder on a machine with
# a GPU (docs/results/README.md). PART is
#
#   table      (default) measures the error and time of every rung that this card
#              runs, in under five minutes
#   contract   tests the contract of attention on every rung, forward and backward
#   races      runs compute-sanitizer on small shapes, and each rung 100 times
#              (Hopper's rungs 250 times, then with random delays). All runs must give
#              the same bits
#   bench      times decoding (on Hopper), and PyTorch if python3 has it
#   all        does all of this
#
# Rungs that the card cannot run are left out and not built. Writes into OUT:
#
#   environment.txt   the GPU, its driver, nvcc
#   clocks.csv        clocks, temperature, power: every second of the benchmarks
#   *.log             the output of each test, tool and benchmark
#   table.tsv         every rung: ms, TFLOP/s, percent of the peak, error
#   decode.tsv        decoding: us, GB/s, percent of a copy's rate
#   torch.tsv         PyTorch's backends
#
# If the table has no failure, also writes TABLES/CARD.tsv with the driver and the
# clocks. SMALL=1 selects small problems for the PTX interpreter.
#
# After a failure, also of a build, prints it, continues, and exits with 1 at the end.
# Without a GPU or a suitable nvcc exits with 3. Stops a program that hangs.
set -u
export LC_ALL=C CUDA_DEVICE_ORDER=PCI_BUS_ID TEST_LONG=1
out=${1:?usage: gpu_check.sh OUT [PART]}
part=${2:-table}
tables=${TABLES:-docs/results}
small=${SMALL:+small}
make=${MAKE:-make}
nvcc=${NVCC:-nvcc}
gpu=${GPU:-build/07_cuda/gpu}
failures=0

case $part in
table | contract | races | bench | all) ;;
*)
    echo "gpu-check: PART=$part: allowed are table, contract, races," \
        "bench and all" >&2
    exit 2
    ;;
esac

selected() {
    [ "$part" = all ] || [ "$part" = "$1" ]
}

fail() {
    echo "FAILED  $1"
    failures=$((failures + 1))
}

# A prebuilt copy (make gpu-build) needs no compiler.
prebuilt=
command -v "$nvcc" >/dev/null || [ ! -e "$gpu/libladder.so" ] || prebuilt=card
arch=$(NVCC=$nvcc sh 07_cuda/host/gpu_arch.sh $prebuilt 2>&1) || {
    echo "gpu-check: $arch" >&2
    exit 3
}
first=${CUDA_VISIBLE_DEVICES:-0}

# query WHAT: queries the first GPU.
query() {
    nvidia-smi --id="${first%%,*}" --query-gpu="$1" --format=csv,noheader,nounits
}

mkdir -p "$out" || exit 1
{
    if [ "$prebuilt" ]; then
        echo "built elsewhere"
    else
        "$nvcc" --version | tail -2
    fi
    query name,compute_cap,driver_version,clocks.max.sm,clocks.max.mem,power.limit
} >"$out/environment.txt" 2>&1
hopper=
if [ "$arch" = sm_90 ] && ! grep -q 'release 12\.[0-5],' "$out/environment.txt"; then
    hopper=yes
elif [ "$part" != table ]; then
    echo "-       not Hopper, or CUDA before 12.6: rungs 8 and later are left out"
fi

# build FILE: builds $gpu/FILE, with make's output in a log. Reports a rung that does
# not compile, and builds the program without this rung. False if there is no program.
# Stops if ptxas serialised wgmma, because all times would be wrong.
build() {
    if [ "$prebuilt" ]; then
        [ -x "$gpu/$1" ] || fail "${1##*/}: not in the prebuilt copy"
        [ -x "$gpu/$1" ]
        return
    fi
    making=$out/${1##*/}.build.log
    {
        $make --no-print-directory -j"$(nproc)" ANYHOW=1 NVCC_ARCH="$arch" \
            "$gpu/$1" 2>&1 || echo "FAILED  $1: not built"
    } | tee "$making"
    ! grep -q '(C75' "$making" || exit 1
    failures=$((failures + $(grep -c '^FAILED' "$making")))
    not_built=$(grep -c "^FAILED  $1: not built" "$making")
    [ "$not_built" -eq 0 ]
}

# run_logged NAME SECONDS TABLE COMMAND...: runs the command for at most SECONDS.
# Writes stderr to NAME.log and stdout to TABLE (default: NAME.log), and pipes stdout
# to the command $show. False if it fails. LIMIT=n replaces SECONDS in all calls.
show_nothing() {
    cat >/dev/null
}
run_logged() {
    name=$1 seconds=${LIMIT:-$2} log=$out/$1.log table=${3:-$1.log}
    shift 3
    : >"$log"
    {
        timeout -k 10 "$seconds" "$@" 2>>"$log"
        echo $? >"$out/status"
    } | tee -a "$out/$table" | ${show:-show_nothing}
    status=$(cat "$out/status")
    case $status in
    0) return 0 ;;
    124 | 137) fail "$name: still running after $seconds s ($log)" ;;
    *) fail "$name: exit $status ($log): $(tail -n 1 "$log")" ;;
    esac
    return 1
}

# --- The contract ------------------------------------------------------------

# docs/results/README.md explains how to copy CMocka if it is missing here.
contract() {
    build "tests/$1" && run_logged "$1" "$2" '' "$gpu/tests/$1" &&
        echo "ok      $1: $(grep -c '^\[       OK' "$log") tests"
}

if selected contract; then
    contract test_ladder 240
    contract test_backward_rungs 80
    [ "$hopper" ] && contract test_hopper 210
    [ "$hopper" ] && contract test_fp8 60
fi

# --- Races -------------------------------------------------------------------

# racecheck does not support TMA, and synccheck does not support mbarriers. So
# Hopper's rungs run with random delays instead.
sanitize() {
    run_logged "sanitizer_$1" 120 '' compute-sanitizer --tool "$1" \
        --error-exitcode 9 "$gpu/bench/repeat" "$2" small &&
        echo "ok      $1: $(grep 'kernels run' "$log")"
}

# same_bits PROGRAM RUNGS: runs these rungs many times and compares the bits.
same_bits() {
    build "bench/$1" && run_logged "$1_$2" 90 '' "$gpu/bench/$1" "$2" &&
        echo "ok      $1 $2: $(tail -1 "$log")"
}

if selected races; then
    same_bits repeat older
    if ! command -v compute-sanitizer >/dev/null; then
        fail "compute-sanitizer not found"
    elif [ -x "$gpu/bench/repeat" ]; then
        sanitize memcheck all
        sanitize initcheck all
        sanitize racecheck older
        sanitize synccheck older
    fi
    for program in ${hopper:+repeat repeat_2 repeat_3 repeat_4}; do
        same_bits "$program" hopper
    done
fi

# --- The benchmarks ----------------------------------------------------------

# Prints each row as it arrives. awk would buffer the rows.
tab=$(printf '\t')
rows() {
    while IFS=$tab read -r _ step dtype B H N d causal ms tflops percent _ error _; do
        [ "$causal" = 1 ] && shape="($B, $H, $N, $d) causal" ||
            shape="($B, $H, $N, $d)"
        [ "$step" = step ] ||
            printf '  %-21s %s %-25s %9s ms %7s TFLOP/s %6s%%  error %s\n' \
                "$step" "$dtype" "$shape" "$ms" "$tflops" "$percent" "$error"
    done
}

# fill_table TABLE SECONDS SHOW COMMAND...: writes TABLE.tsv while the command runs.
# Prints a line for each reason for which rungs were left out.
fill_table() {
    what=$1 limit=$2 show=$3
    shift 3
    : >"$out/$what.tsv"
    run_logged "bench_$what" "$limit" "$what.tsv" "$@"
    status=$?
    show=
    awk -F ': ' '!/^left out/ { print; next }
        !($3 in all) { why[n++] = $3 }
        { all[$3] = all[$3] (all[$3] ? ", " : "") $2 }
        END { for (k = 0; k < n; k++) print "left out: " all[why[k]] ": " why[k] }
    ' "$log"
    return $status
}

# Writes CARD.tsv completely, or no file.
save_table() {
    card=$(sed -n 2p "$out/table.tsv" | cut -f 1 | tr '[:upper:]' '[:lower:]' |
        sed -E 's/nvidia|geforce|tesla//g; s/[^a-z0-9]+/_/g; s/^_|_$//g')
    saved=$tables/$card.tsv
    if [ -z "$card" ]; then
        fail "table: no rung runs on this card"
    elif awk -v OFS='\t' -v driver="$(query driver_version)" -v clocks="$(
        # the clocks of the median second
        tr -d ' ' <"$out/clocks.csv" | sort -t , -n -k 2 | awk -F , '
            $2 + 0 > 0 { at[++n] = $2 "\t" $3 }
            END { print n ? at[int((n + 1) / 2)] : "-\t-" }')" '
        NR == 1 { print $0, "driver", "sm_mhz", "memory_mhz" }
        NR > 1 { print $0, driver, clocks }' \
        "$out/table.tsv" >"$saved.part" && mv "$saved.part" "$saved"; then
        echo "written $saved"
        TABLES=$tables sh 07_cuda/bench/draw_cards.sh "${PLOTS:-build/plots}/cards"
    else
        rm -f "$saved.part"
        fail "table: cannot write $saved"
    fi
}

have_bench=
if selected table || selected bench; then
    build bench/bench && have_bench=yes
fi
if [ "$have_bench" ]; then
    # Not by `query`: $! would be the shell that runs the function, not nvidia-smi.
    nvidia-smi --id="${first%%,*}" --format=csv,noheader,nounits --loop=1 --query-gpu=\
timestamp,clocks.sm,clocks.mem,temperature.gpu,power.draw,\
clocks_throttle_reasons.active >"$out/clocks.csv" &
    logger=$!
    trap 'kill $logger 2>/dev/null' EXIT
    trap 'exit 130' INT TERM
    # shellcheck disable=SC2086 # $small is one word or none
    ! selected table || ! fill_table table 240 rows "$gpu/bench/bench" table $small ||
        save_table
    [ "$hopper" ] || echo "decoding: not timed: its rung 12 needs Hopper, and rung 7" \
        "has one block for each head of a query"
    # shellcheck disable=SC2086
    ! selected bench || [ -z "$hopper" ] ||
        fill_table decode 120 cat "$gpu/bench/bench" decode $small
    ! selected bench || ! python3 -c 'import torch' 2>/dev/null ||
        fill_table torch 180 cat python3 07_cuda/bench/bench_torch.py
    kill $logger 2>/dev/null
    wait $logger 2>/dev/null
fi

echo "$failures failed"
[ "$failures" -eq 0 ]
