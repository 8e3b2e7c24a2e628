#!/bin/sh
# nvcc_check.sh FILE.cu...: compiles each file for sm_80 and sm_90, or for $ARCHS, and
# reads the report of ptxas (-Xptxas -v). Prints the registers. Fails on warnings
# (C75xx: ptxas serialised a wgmma) and, except in rungs 0 to 5a and device.cu, on
# spills. Without nvcc checks nothing. Leaves code in NAME.ARCH.cubin for sass-check.
set -u
export LC_ALL=C
nvcc=${NVCC:-nvcc}
build=${BUILD:-build}/07_cuda/nvcc
archs=${ARCHS:-sm_80 sm_90}

command -v "$nvcc" >/dev/null || {
    echo "$nvcc: not found; the kernels are not checked"
    exit 0
}
mkdir -p "$build" || exit 1

# path_of FILE ARCH: prints the output's path without extension. The path contains
# FILE's folder, because two folders may have the same file name.
path_of() {
    echo "$build/$(echo "${1#07_cuda/}" | sed 's|/|-|g; s|\.cu$||').$2"
}

# compile FILE ARCH PATH: compiles to PATH.cubin, with the report in PATH.log. Skips
# a file that has not changed.
compile() {
    [ -e "$3.cubin" ] && [ -z "$(find "$1" 07_cuda/*.h 07_cuda/tile \
        07_cuda/ptx 07_cuda/fp8 07_cuda/backward/*.cuh -newer "$3.cubin")" ] ||
        "$nvcc" -O3 -std=c++17 -I. -Itools/emulator/include -arch="$2" -Xptxas -v -cubin \
            -o "$3.cubin" "$1" >"$3.log" 2>&1 || rm -f "$3.cubin"
}

n=0
for file in "$@"; do # two compilers in parallel
    for arch in $archs; do
        compile "$file" "$arch" "$(path_of "$file" "$arch")" &
        n=$((n + 1))
        [ $((n % 2)) -eq 0 ] && wait
    done
done
wait
failures=0
kernels=0
for file in "$@"; do
    case $file in
    *rung[0-4]_* | *rung5a_* | *device.cu) may_spill=1 ;;
    *) may_spill=0 ;;
    esac
    for arch in $archs; do
        log=$(path_of "$file" "$arch").log
        if [ ! -e "${log%.log}.cubin" ]; then
            cat "$log" >&2
            echo "$file: nvcc failed for $arch" >&2
            failures=$((failures + 1))
            continue
        fi
        awk -v file="$file" -v arch="$arch" -v may_spill=$may_spill '
            /Compiling entry function/ { split($0, q, "\047"); kernel = q[2] }
            /C75[0-9][0-9]|warning/ {
                print file ", " arch ": " $0
                bad = 1
            }
            # A stack frame also counts: it holds an array in local memory.
            /bytes spill stores/ && !may_spill && $1 + $5 + $9 {
                print file ", " arch ": " kernel " spills: " $0
                bad = 1
            }
            /Used [0-9]+ registers/ {
                match($0, /Used [0-9]+/)
                r = substr($0, RSTART + 5, RLENGTH - 5) + 0
                if (r > most)
                    most = r
                count++
            }
            END {
                if (count)
                    printf "  %-32s %s  %2d kernels, at most %3d registers\n",
                        file, arch, count, most
                exit bad
            }' "$log" || failures=$((failures + 1))
        kernels=$((kernels + $(grep -c 'Compiling entry' "$log")))
    done
done
echo "$kernels kernels compiled, $failures failed"
[ "$failures" -eq 0 ]
