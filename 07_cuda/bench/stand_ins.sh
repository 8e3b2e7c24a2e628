#!/bin/sh
# stand_ins.sh CARD...: tests `make gpu-check` without a GPU. The PTX interpreter runs
# the kernels. A short script replaces nvidia-smi, and another one makes nvcc compile
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
*compute_cap*) echo "$CAPABILITY" ;;
*driver*) echo none ;;
*loop*) echo now, 1500, 6000 && exec sleep 600 ;;
esac
END
# The cards between Turing and Hopper run the same PTX, for compute_80.
program nvcc <<END
for a; do
    shift
    a=\$(echo "\$a" | sed 's/=sm_8.*/=compute_80/; s/=sm_/=compute_/')
    set -- "\$@" "\$a"
done
exec $nvcc -cudart shared -Xfatbin -compress=false "\$@"
END

turing='standard flash1 flash2 float4 backward_atomics backward_two_kernels'
ampere="$turing warp_tiles sliced_k split_q swizzle cp_async full full-rows_32
    full-exp2 full-edges full-skip full-longest backward_tensor_cores"
hopper="$ampere wgmma roles pingpong fp8 fp8-attend split_kv backward_wgmma
    backward_reduce"

# has_rows ROWS WIDE: true if the table has exactly ROWS at 64 columns and WIDE at
# 128.
has_rows() {
    # shellcheck disable=SC2086 # names
    { printf '64 %s\n' $1; printf '128 %s\n' $2; } | sort >"$tmp/want"
    awk -F '\t' 'NR > 1 { print $7, $2 }' "$table" | sort -u | cmp - "$tmp/want"
}

export CARD CAPABILITY
for CARD in "$@"; do
    wide='' reasons=1
    case $CARD in
    t4) CAPABILITY=7.5 rows="$turing warp_tiles" wide=$turing reasons=3 ;;
    rtx3060) CAPABILITY=8.6 rows=$ampere ;;
    rtx4090) CAPABILITY=8.9 rows=$ampere ;;
    a100) CAPABILITY=8.0 rows=$ampere ;;
    h100) CAPABILITY=9.0 rows=$hopper reasons=0 ;;
    *) echo "stand_ins.sh: $CARD: no such card" >&2 && exit 2 ;;
    esac
    out=$tmp/$CARD
    rm -f build/plots/cards.svg
    run="$make gpu-check"
    [ "$CARD" != t4 ] || run='python3 tools/docs.py notebook'
    # shellcheck disable=SC2086 # words
    must "$CARD: gpu-check is green" env LD_LIBRARY_PATH="$library" \
        PATH="$tmp:$PATH" MAKEFLAGS="-- NVCC=$tmp/nvcc \
        GPU=$library/gpu_$(echo $CAPABILITY | sed 's/8.*/80/; s/\.//') \
        RESULTS=$out TABLES=$out SMALL=1" $run
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
    must "$CARD: the pages do not use this table" eval \
        'TABLES=$out python3 docs/lab/tables.py rungs 2>&1 >"$tmp/page" |
            grep "was not measured on a card" && [ ! -s "$tmp/page" ]'
done
finish "read the messages above"
