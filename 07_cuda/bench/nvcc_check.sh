#!/bin/sh
# 07_cuda/bench/nvcc_check.sh FILE.cu...: compiles each for sm_80 and sm_90, or ARCHS, and
# reads what ptxas says (-Xptxas -v): registers, and whether any spill. From
# rung 5b on a spill is an error. Without nvcc nothing is checked. The machine
# code stays as NAME.ARCH.cubin, for sass-check.
set -u
export LC_ALL=C
nvcc=${NVCC:-nvcc}
build=${BUILD:-build}/07_cuda/nvcc

command -v "$nvcc" >/dev/null || {
    echo "$nvcc: not found; the kernels go without this check"
    exit 0
}
mkdir -p "$build" || exit 1

# name_of FILE: below 07_cuda, without the end; two rooms may have the same.
name_of() {
    echo "${1#07_cuda/}" | sed 's|/|-|g; s|\.cu$||'
}

# compile FILE ARCH: its words in a .log, its exit code in a .status; not again
# if nothing has changed.
compile() {
    made=$build/$(name_of "$1").$2
    [ -e "$made.cubin" ] && [ -z "$(find "$1" 07_cuda/*.h 07_cuda/tile \
        07_cuda/ptx 07_cuda/fp8 07_cuda/bench 07_cuda/backward/*.cuh \
        -newer "$made.cubin")" ] && return
    mkdir -p "$made.kept"
    "$nvcc" -O3 -std=c++17 -arch="$2" -I. -Xptxas -v -c "$1" \
        --keep --keep-dir "$made.kept" -o "$made.o" >"$made.log" 2>&1
    echo $? >"$made.status"
    mv "$made.kept"/*.cubin "$made.cubin" 2>/dev/null
    rm -r "$made.kept"
}

failures=0
kernels=0
archs=${ARCHS:-sm_80 sm_90}
n=0
for file in "$@"; do # two at a time
    for arch in $archs; do
        compile "$file" "$arch" &
        n=$((n + 1))
        [ $((n % 2)) -eq 0 ] && wait
    done
done
wait
for file in "$@"; do
    name=$(name_of "$file")
    case $name in
    rung[1-4]_* | rung5a_* | *device) must=false ;;
    *) must=true ;;
    esac
    for arch in $archs; do
        log=$build/$name.$arch.log
        if [ "$(cat "$build/$name.$arch.status")" -ne 0 ]; then
            cat "$log" >&2
            echo "$file: nvcc failed for $arch" >&2
            failures=$((failures + 1))
            continue
        fi
        awk -v file="$file" -v arch="$arch" -v must=$must '
            /Compiling entry function/ { split($0, q, "\047"); kernel = q[2] }
            /bytes spill stores/ {
                spilled = $1 + $5 + $9 # a stack frame: an array in memory
                if (spilled == 0 || must == "false")
                    next
                print file ": " kernel " spills for " arch ": " $0
                bad = 1
            }
            /Used [0-9]+ registers/ {
                match($0, /Used [0-9]+/)
                r = substr($0, RSTART + 5, RLENGTH - 5)
                if (r + 0 > most) most = r + 0
                count++
            }
            END {
                if (count)
                    printf "  %-28s %s  %2d kernels, at most %3d registers\n",
                        file, arch, count, most
                exit bad
            }' "$log" || failures=$((failures + 1))
        kernels=$((kernels + $(grep -c 'Compiling entry' "$log")))
    done
done
echo "$kernels kernels compiled, $failures failed"
[ "$failures" -eq 0 ]
