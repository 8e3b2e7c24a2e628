#!/bin/sh
# 07_cuda/bench/gpu_check.sh OUT [PART]: checks and times the ladder on a machine
# with a GPU.
#
#   table      every rung that this card runs: its error, its time; made to
#              take under five minutes. What one gets without PART
#   contract   the contract on every rung
#   races      compute-sanitizer on small shapes, 100 equal runs (of Hopper's
#              rungs 250, shaken)
#   bench      decoding; and PyTorch, where python3 has it
#   all        all of them
#
# What the card cannot run is not built, and is left out. Writes into OUT:
#
#   environment.txt   the GPU, its driver, nvcc
#   clocks.csv        the clocks, every second of the benchmarks
#   *.log             the output of each test, tool and benchmark
#   table.tsv         every rung: ms, TFLOP/s, percent of the peak, error
#   decode.tsv        decoding: us, GB/s, percent of a copy's
#   torch.tsv         PyTorch's backends
#
# and, of a table without a failure, TABLES/CARD.tsv: with the driver and the
# clocks. SMALL=1: small problems, for the PTX interpreter.
#
# Goes on after a failure, of a build too, names it, and ends with 1; with 3
# where there is no GPU. A program that hangs is stopped. docs/results/README.md
set -u
export LC_ALL=C CUDA_DEVICE_ORDER=PCI_BUS_ID
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
first=${CUDA_VISIBLE_DEVICES:-0}

# asked WHAT [OPTION...]: queries the first GPU.
asked() {
    what=$1
    shift
    nvidia-smi --id="${first%%,*}" --query-gpu="$what" \
        --format=csv,noheader,nounits "$@"
}

arch=$(asked compute_cap 2>/dev/null | tr -dc 0-9)
[ "$arch" ] || nothing "nvidia-smi finds no GPU, or no driver for it"
[ "$carried" ] || case " $("$nvcc" --list-gpu-code 2>&1 | tr '\n' ' ')" in
*" sm_$arch "*) ;;
*" sm_"*) nothing "nvcc makes nothing for sm_$arch: it needs a later CUDA" ;;
esac
mkdir -p "$out" || exit 1
{
    if [ "$carried" ]; then
        echo "built elsewhere"
    else
        "$nvcc" --version | tail -2
    fi
    asked name,compute_cap,driver_version,clocks.max.sm,clocks.max.mem,power.limit
} >"$out/environment.txt" 2>&1
hopper=
if [ "$arch" = 90 ]; then
    hopper=yes
elif [ "$part" != table ]; then
    echo "-       not Hopper: rungs 8 and on, and their checks, are left out"
fi

# built FILE: makes $gpu/FILE, with make's output in a log. Reports a rung that does
# not compile, and makes the programs without it.
built() {
    if [ "$carried" ]; then
        [ -x "$gpu/$1" ] || fail "${1##*/}: not in the build that was carried"
        [ -x "$gpu/$1" ]
        return
    fi
    making=$out/${1##*/}.build.log
    {
        $make --no-print-directory -j"$(nproc)" ANYHOW=1 NVCC_ARCH="sm_$arch" \
            "$gpu/$1" 2>&1 || echo "FAILED  $1: not built"
    } | tee "$making"
    failures=$((failures + $(grep -c '^FAILED' "$making")))
    not_built=$(grep -c "^FAILED  $1: not built" "$making")
    [ "$not_built" -eq 0 ]
}

# tried NAME SECONDS TABLE COMMAND...: runs it, at most so long. Its stderr is in
# NAME.log; its stdout is in TABLE, if one is named, and passes through $show.
# LIMIT=n: the seconds of each, for tools/test_tools.sh.
nothing_shown() {
    cat >/dev/null
}
tried() {
    name=$1 seconds=${LIMIT:-$2} log=$out/$1.log table=${3:-$1.log}
    shift 3
    : >"$log"
    {
        timeout -k 10 "$seconds" "$@" 2>>"$log"
        echo $? >"$out/status"
    } | tee -a "$out/$table" | ${show:-nothing_shown}
    status=$(cat "$out/status")
    case $status in
    0) return 0 ;;
    124 | 137) fail "$name: still running after $seconds s ($log)" ;;
    *) fail "$name: exit $status ($log): $(tail -n 1 "$log")" ;;
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

# --- The benchmarks ----------------------------------------------------------

# Rows as they come (awk would wait for many).
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

# timed TABLE SECONDS SHOW COMMAND...: fills the table as the program runs. Prints a
# line for each reason why something was left out.
timed() {
    what=$1 limit=$2 show=$3
    shift 3
    : >"$out/$what.tsv"
    tried "bench_$what" "$limit" "$what.tsv" "$@"
    status=$?
    show=
    awk -F ': ' '!/^left out/ { print; next }
        !($3 in all) { why[n++] = $3 }
        { all[$3] = all[$3] (all[$3] ? ", " : "") $2 }
        END { for (k = 0; k < n; k++) print "left out: " all[why[k]] ": " why[k] }
    ' "$log"
    return $status
}

# Draws all tables in that folder.
draw() {
    picture=${PLOTS:-build/plots}/cards
    ! command -v gnuplot >/dev/null || ! mkdir -p "${picture%/*}" ||
        ! gnuplot -e "tables = '$(grep -l "^card$tab" "$tables"/*.tsv |
            tr '\n' ' ')'; data = ''; out = '$picture'" \
            tools/prelude.gp 07_cuda/bench/cards.gp ||
        echo "drawn   $picture.svg"
}

# Writes CARD.tsv: the whole table, or no file.
keep() {
    card=$(sed -n 2p "$out/table.tsv" | cut -f 1 | tr '[:upper:]' '[:lower:]' |
        sed -E 's/nvidia|geforce|tesla//g; s/[^a-z0-9]+/_/g; s/^_|_$//g')
    kept=$tables/$card.tsv
    if [ -z "$card" ]; then
        fail "table: no rung runs on this card"
    elif awk -v OFS='\t' -v driver="$(asked driver_version)" -v clocks="$(
        # of the second in the middle
        tr -d ' ' <"$out/clocks.csv" | sort -t , -n -k 2 | awk -F , '
            $2 + 0 > 0 { at[++n] = $2 "\t" $3 }
            END { print n ? at[int((n + 1) / 2)] : "-\t-" }')" '
        NR == 1 { print $0, "driver", "sm_mhz", "memory_mhz" }
        NR > 1 { print $0, driver, clocks }' \
        "$out/table.tsv" >"$kept.part" && mv "$kept.part" "$kept"; then
        echo "written $kept"
        draw
    else
        rm -f "$kept.part"
        fail "table: $kept can't be written"
    fi
}

logged=
if wanted table || wanted bench; then
    built bench/bench && logged=yes
fi
if [ "$logged" ]; then
    asked timestamp,clocks.sm,clocks.mem,temperature.gpu,power.draw,\
clocks_throttle_reasons.active --loop=1 >"$out/clocks.csv" &
    logger=$!
    trap 'kill $logger 2>/dev/null' EXIT
    trap 'exit 130' INT TERM
    # shellcheck disable=SC2086 # small, or nothing
    ! wanted table || ! timed table 240 rows "$gpu/bench/bench" table $small ||
        keep
    # shellcheck disable=SC2086
    ! wanted bench || [ -z "$hopper" ] ||
        timed decode 120 cat "$gpu/bench/bench" decode $small
    ! wanted bench || ! python3 -c 'import torch' 2>/dev/null ||
        timed torch 180 cat python3 07_cuda/bench/bench_torch.py
    kill $logger 2>/dev/null
    wait $logger 2>/dev/null
fi

echo "$failures failed"
[ "$failures" -eq 0 ]
