#!/bin/sh
# profile.sh FOLDER COUNTER [RUNG]: runs a rung in Nsight Compute (ncu) and prints its
# counters next to the emulator's counts for the same problem. FOLDER is for the GPU's
# ./run, compiled with -lineinfo. COUNTER is the ./run that counts on the CPU. Exits with
# 3 without a GPU, a suitable nvcc or ncu, and with 2 if there is no such rung.
set -u
export LC_ALL=C CUDA_DEVICE_ORDER=PCI_BUS_ID
program=$1/run counter=$2 rung=${3:-7}

no() {
    echo "profile-07: $2" >&2
    exit "$1"
}
numbers=$(ls 07_cuda/rung*_*.cu | sed 's|.*/rung||; s|_.*||' | sort -V | tr '\n' ' ')
case " $numbers" in
*" $rung "*) ;;
*) no 2 "RUNG=$rung: no such rung; allowed are $numbers" ;;
esac
name=$(ls 07_cuda/rung"$rung"_*.cu | sed 's|.*/rung[^_]*_||; s|\.cu||')
arch=$(sh 07_cuda/host/gpu_arch.sh 2>&1) || no 3 "$arch"
command -v ncu >/dev/null || no 3 "ncu not found (it is a part of CUDA: Nsight Compute)"
${MAKE:-make} --no-print-directory -j"$(nproc)" ANYHOW=1 GPU="$1" NVCC_ARCH="$arch" \
    LINEINFO=-lineinfo "$program" || exit 1

sectors=l1tex__t_sectors_pipe_lsu_mem_global_op
metrics=dram__bytes_read.sum,dram__bytes_write.sum,${sectors}_ld.sum,${sectors}_st.sum,\
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,\
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,\
sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active
case $rung in 6b | 7) metrics=$metrics,${sectors}_ldgsts.sum ;; esac # cp.async
set -- ncu --csv --print-units base --metrics "$metrics" "$program" --step "$name" \
    --n 256 --d 64
echo "$*"
"$@" >"$program.ncu" 2>&1
grep -q '"Metric Value"' "$program.ncu" || {
    cat "$program.ncu" >&2
    no 1 "ncu has measured nothing"
}
# ./run runs the rung three times. --csv prints the counts of all rungs.
CUDA_ON_CPU=full "$counter" --csv | awk -v name="$name" -v rung="$rung" -v runs=3 '
    function row(what, counted, profiled) {
        printf "%-24s %12s %12s\n", what, counted, profiled
    }
    function mean(metric) {
        return metric in sum ? sprintf("%.0f", sum[metric] / runs) : "-"
    }
    FNR == NR {
        n = split($0, field, ",")
        if (FNR == 1)
            for (k = 1; k <= n; k++)
                column[field[k]] = k
        else if (field[1] == name && !counted) # the first row: d = 64
            counted = split($0, count, ",")
        next
    }
    /^"/ { # ..., "metric", "unit", "value"
        n = split($0, field, "\",\"")
        metric = field[n - 2]
        value = field[n]
        gsub(/[",]/, "", value)
        if (value !~ /^[0-9.]+$/)
            next
        if (metric ~ /_op_/)
            metric = "sectors"
        if (metric ~ /^dram/)
            metric = "dram"
        sum[metric] += value
        if (metric ~ /pct/ && value + 0 > tensor + 0)
            tensor = value
    }
    END {
        print "rung " rung " " name ": 1 head, 256 queries and keys, d 64"
        row("", "counted", "profiled")
        row("HBM, bytes", count[column["hbm_bytes"]], mean("dram"))
        row("L1 sectors", count[column["sectors"]], mean("sectors"))
        row("shared wavefronts", count[column["wavefronts"]],
            mean("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"))
        row("bank conflicts", count[column["conflicts"]],
            mean("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"))
        row("tensor pipe, % of cycles", "-", tensor == "" ? "-" : tensor)
    }' - "$program.ncu"
