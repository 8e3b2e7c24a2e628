#!/bin/sh
# docs/lab/precision.sh [quick]: prints the table of the precision lab, the errors of
# steps of chapters 02 to 06 against float64, as `flash precision --csv` measures them.
# With `quick` only the lines that take seconds. docs/precision.md
set -eu

tiled='flash1 flash2_deferred flash2'
counted="standard_attention three_pass_attention two_pass_attention \
one_pass_attention $tiled"
all="$counted flash2_simd"
short='64 128 256 512 1024'
long="$short 2048 4096 8192 16384 32768"
one_row='single:1 sorted:1 falling:1'

loss() {
    "${BUILD:-build}/tools/flash/run" precision "$@" --csv </dev/null
}
# measure STEPS N ROWS TYPES BC
measure() {
    loss attention --d 64 --steps "$1" --n "$2" --rows "$3" --types "$4" --bc "$5"
}

lines=$(
    [ "${1-}" != quick ] || long=$short
    loss softmax --n "$long" --rows 'normal:1 normal:4' --types fp32
    measure "$all" "$long" 'normal:1 normal:4' fp32 64
    measure "$all" 256 "$one_row" fp32 '1 64'
    if [ "${1-}" != quick ]; then
        measure "$tiled three_pass_attention" 4096 normal:1 fp32 \
            '1 2 4 8 16 32 128 256 512'
        measure "$all" '1024 4096 16384' "$one_row" fp32 '1 64'
        for sigma in 0.25 0.5 2 8 16; do
            measure "$all" 4096 normal:$sigma fp32 64
        done
        measure "$all" 4096 "$(printf 'unscaled:%s ' 2 4 8 16 32 64 128)" fp32 64
    fi
    for type in bf16 fp16; do
        measure "$tiled" 4096 real "$type:PO $type:POml" 64
        for rows in real normal:1; do
            measure standard_attention 4096 $rows "$type:unrounded $type:S" 64
            measure "$all" 4096 $rows $type:QKV 64
            measure "$counted" 4096 $rows $type:P 64
            [ "${1-}" != quick ] || break
        done
        [ "${1-}" != quick ] || continue
        measure "$tiled" 4096 normal:1 "$type:P $type:PO $type:POml" '4 16 64 256 1024'
        measure "$tiled" 4096 "$one_row" $type:PO 64
    done
)
echo "$lines" | tr , '\t' | awk '!seen[$0]++'
