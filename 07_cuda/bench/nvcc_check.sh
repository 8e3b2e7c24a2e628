#!/bin/sh
# nvcc_check.sh FILE.cu...: compiles each file for sm_80 and sm_90, or for $ARCHS, and
# reads the report of ptxas (-Xptxas -v). Prints the registers. Fails on warnings
# (C75xx: ptxas serialised a wgmma) and, except in rungs 0 to 5a and device.cu, on
# spills. Without nvcc checks nothing. Leaves code in NAME.ARCH.cubin for sass-check.
#
# PTXAS=FILE: another ptxas, of CUDA 12.0 or later, compiles nvcc's PTX. The PTX's version
# line is rewritten to the latest version that this ptxas accepts.
set -u
export LC_ALL=C
nvcc=${NVCC:-nvcc}
build=${BUILD:-build}/07_cuda/nvcc
archs=${ARCHS:-sm_80 sm_90}

command -v "$nvcc" >/dev/null || {
    echo "$nvcc: not found; the kernels are not checked"
    exit 0
}
if [ "${PTXAS-}" ]; then
    minor=$("$PTXAS" --version | sed -n 's/.*release 12\.\([0-9]*\),.*/\1/p')
    isa=${minor:+8.$((minor > 5 ? minor - 1 : minor))}
    build=$build-ptxas-${minor:-13}
fi
mkdir -p "$build" || exit 1

# path_of FILE ARCH: prints the output's path without extension. The path contains
# FILE's folder, because two folders may have the same file name.
path_of() {
    echo "$build/$(echo "${1#07_cuda/}" | sed 's|/|-|g; s|\.cu$||').$2"
}

# by_nvcc FILE ARCH OPTION...
by_nvcc() {
    file=$1 arch=$2
    shift 2
    "$nvcc" -O3 -std=c++17 -I. -Itools/emulator/include -arch="$arch" "$@" "$file"
}

# by_ptxas FILE ARCH PATH
by_ptxas() {
    by_nvcc "$1" "$2" -ptx -o "$3.ptx" &&
        sed -i "s/^\.version .*/.version ${isa:-9.0}/" "$3.ptx" &&
        "$PTXAS" -O3 -v -arch="$2" -o "$3.cubin" "$3.ptx"
}

# compile FILE ARCH PATH: compiles to PATH.cubin, with the report in PATH.log. Skips
# a file that has not changed.
compile() {
    [ -e "$3.cubin" ] && [ -z "$(find "$1" 07_cuda/*.h 07_cuda/tile \
        07_cuda/ptx 07_cuda/fp8 07_cuda/backward/*.cuh -newer "$3.cubin")" ] ||
        if [ "${PTXAS-}" ]; then
            by_ptxas "$1" "$2" "$3" >"$3.log" 2>&1
        else
            by_nvcc "$1" "$2" -Xptxas -v -cubin -o "$3.cubin" >"$3.log" 2>&1
        fi || rm -f "$3.cubin"
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
            # An old ptxas skips this pragma of a later nvcc.
            /C75[0-9][0-9]|warning/ && !/used_bytes_mask/ {
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
