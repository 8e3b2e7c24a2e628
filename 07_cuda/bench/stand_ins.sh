#!/bin/sh
# stand_ins.sh CARD...: tests `make gpu-check` and `make chapter-07` without a GPU. The
# PTX interpreter runs the kernels. A short script replaces nvidia-smi, and another one makes nvcc compile
# to PTX instead of machine code. For the T4 the notebook docs/colab.ipynb runs
# gpu-check. Each card's table must have exactly the rungs that this card runs. It has
# no times, because the interpreter has no clock.
set -u
# shellcheck source=tools/tally.sh
. tools/tally.sh
make=${MAKE:-make}
nvcc=$(command -v "${NVCC:-nvcc}")
library=${GPU_LIBRARY:?}

program() {
    { echo '#!/bin/sh'; cat; } >"$tmp/$1"
    chmod +x "$tmp/$1"
}
program nvidia-smi <<'END'
case $* in
*--id=1*compute_cap*) echo "7.5" ;;
*compute_cap*) echo "$CAPABILITY" ;;
*driver*) echo none ;;
*loop*) echo now, 1500, 6000 && exec sleep 600 ;;
'') echo "| Driver Version: 1   CUDA Version: ${DRIVER:-13.0} |" ;;
esac
END
# All cards but Turing and Hopper run the same PTX, for compute_80.
program nvcc <<END
for a; do
    shift
    a=\$(echo "\$a" | sed 's/=sm_\(8\|1[02]\).*/=compute_80/; s/=sm_/=compute_/')
    set -- "\$@" "\$a"
done
exec $nvcc -cudart shared -Xfatbin -compress=false "\$@"
END

turing='standard flash1 flash2 float4 backward_atomics backward_two_kernels'
ampere="$turing warp_tiles sliced_k split_q swizzle cp_async full full-rows_32
    full-exp2 full-edges full-skip full-longest backward_tensor_cores"
hopper="$ampere wgmma roles pingpong fp8 fp8-attend split_kv backward_wgmma
    backward_reduce"

program broken <<'END'
exit 1
END
program old <<'END'
echo 'release 11.8, V11.8.89'
END

# has_rows ROWS WIDE: true if the table has exactly ROWS at 64 columns and WIDE at
# 128.
has_rows() {
    # shellcheck disable=SC2086 # names
    { printf '64 %s\n' $1; printf '128 %s\n' $2; } | sort >"$tmp/want"
    awk -F '\t' 'NR > 1 { print $7, $2 }' "$table" | sort -u | cmp - "$tmp/want"
}

# on_the_card COMMAND...: runs it as if the machine had this card.
on_the_card() {
    env LD_LIBRARY_PATH="$library" PATH="$tmp:$PATH" MAKEFLAGS="-- NVCC=$compiler \
        GPU=$gpu RESULTS=$out TABLES=$out SMALL=1" "$@"
}

# falls_back WHY: true if chapter-07 prints this reason in one line, and the program
# runs on the CPU.
falls_back() {
    on_the_card "$make" --no-print-directory chapter-07 >"$tmp/said" &&
        grep '^on the CPU: ' "$tmp/said" >"$tmp/why" &&
        [ "$(cat "$tmp/why")" = "on the CPU: $1" ] &&
        on_the_card "$tmp/07_cuda/run" --n 9 | grep "^The times are the emulator"
}

mkdir "$tmp/07_cuda"
cp 07_cuda/host/run.sh "$tmp/07_cuda/run"
chmod +x "$tmp/07_cuda/run"
ln -s "$PWD/build/07_cuda/cpu" "$tmp/07_cuda/cpu"

export CARD CAPABILITY DRIVER
for CARD in "$@"; do
    wide='' reasons=1 N=70 compiler=$tmp/nvcc
    unset PTX_DISPLAY
    case $CARD in
    t4)
        CAPABILITY=7.5 rows="$turing warp_tiles" wide=$turing reasons=3
        export PTX_DISPLAY=1 N=35 # as if it also drove a display
        ;;
    rtx3060) CAPABILITY=8.6 rows=$ampere ;;
    rtx4090) CAPABILITY=8.9 rows=$ampere ;;
    a100) CAPABILITY=8.0 rows=$ampere ;;
    h100) CAPABILITY=9.0 rows=$hopper reasons=0 ;;
    b200) CAPABILITY=10.0 rows=$ampere ;;
    rtx5090) CAPABILITY=12.0 rows=$ampere ;;
    v100) CAPABILITY=7.0 ;;
    *) echo "stand_ins.sh: $CARD: no such card" >&2 && exit 2 ;;
    esac
    out=$tmp/$CARD
    arch=$(echo sm_$CAPABILITY | tr -d .)
    gpu=$library/gpu_$(echo "${arch#sm_}" | sed -E 's/^(8|1[02]).*/80/')
    ln -sfn "$gpu" "$tmp/07_cuda/gpu"
    if [ "$CARD" = v100 ]; then
        why="the GPU has compute capability 7.0; 7.5 or later is needed"
        must "v100: gpu-check prints why it stops" eval '
            not on_the_card "$make" gpu-check >"$tmp/said" 2>&1 &&
            grep -x "gpu-check: $why" "$tmp/said"'
        must "v100: chapter-07 falls back to the CPU" falls_back "$why"
        continue
    fi
    # Cards with the same PTX share the objects: make must not see a change.
    if [ -e "$gpu/arch" ]; then
        echo "$arch" >"$gpu/arch"
        touch -t 200001010000 "$gpu/arch"
    fi
    rm -f build/plots/cards.svg
    run="$make gpu-check"
    [ "$CARD" != t4 ] || run='python3 tools/docs.py notebook'
    # shellcheck disable=SC2086 # words
    must "$CARD: gpu-check is green" on_the_card $run
    mv "$tmp/log" "$out.log"
    grep '^left out' "$out.log" | sed "s/^/  $CARD: /"
    must "$CARD: rungs are left out for $reasons reasons" \
        test "$(grep -c '^left out: ' "$out.log")" = "$reasons"
    table=$(echo "$out"/*_interpreted.tsv)
    must "$CARD: the table has the rungs that the card runs" has_rows "$rows" \
        "${wide:-$rows}"
    must "$CARD: the table has errors, driver, clocks, no time" awk -F '\t' '
        NR > 1 && !($1 ~ /interpreted/ && $9 == "nan" && $13 + 0 > 0 &&
            $13 + 0 < 0.2 && $14 == "nan" && $15 == "none" && $16 == 1500 &&
            $17 == 6000) { exit 1 }
        END { if (NR < 2) exit 1 }' "$table"
    must "$CARD: a limit of a launch's time shortens N in fp32, and is printed" eval '
        [ "$(grep -c "limits the time of a launch" "$out.log")" = ${PTX_DISPLAY:-0} ] &&
        [ "$(awk -F "\t" "\$3 == \"fp32\" { print \$6 }" "$table" | sort -u)" = $N ]'
    must "$CARD: the pages do not use this table" eval \
        'TABLES=$out python3 docs/lab/tables.py rungs 2>&1 >"$tmp/page" |
            grep "was not measured on a card" && [ ! -s "$tmp/page" ]'
    must "$CARD: chapter-07 builds the program for the card" eval '
        on_the_card "$make" chapter-07 >"$tmp/said" 2>&1 &&
        not grep "on the CPU\|left out" "$tmp/said" &&
        on_the_card "$tmp/07_cuda/run" --n 40 --d 64 | grep "rung  *computes in"'
    must "$CARD: with another card as the first one ./run says so" eval '
        [ "$CARD" = t4 ] || on_the_card env CUDA_VISIBLE_DEVICES=1,0 \
            "$tmp/07_cuda/run" --n 40 2>&1 | grep "^on the CPU: built for $arch, and"'
    DRIVER=12.4
    must "$CARD: an old driver" falls_back \
        "the driver is for CUDA 12 and nvcc for CUDA 13.0; update the driver"
    DRIVER=
    compiler=$tmp/broken
    must "$CARD: a broken nvcc" falls_back "$compiler does not run: it prints no version"
    compiler=$tmp/old
    must "$CARD: an old nvcc" falls_back \
        "nvcc 11.8 is too old; CUDA 12.0 or later is needed"
    compiler=$tmp/missing
    must "$CARD: no nvcc" falls_back "$compiler not found (it needs a GPU and CUDA)"
done
finish "read the messages above"
