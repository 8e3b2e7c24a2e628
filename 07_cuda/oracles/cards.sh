#!/bin/sh
# cards.sh [ARCH...]: for which GPUs does each rung compile, and what keeps it
# from the others? Writes a line for each rung and architecture:
#
#   rung, name, architecture; "compiles", or the compiler's first complaint; and
#   the bytes of shared memory of a block, static and dynamic, at d = 64 and 128
#
# The bytes are those of docs/results/sass.tsv, which sass-check compares with
# ptxas and with launches on the emulator. Nothing is run. It needs nvcc 12.8 or
# later and no GPU, and takes minutes.
set -u
export LC_ALL=C

nvcc=${NVCC:-nvcc}
asked=docs/results/sass.tsv

command -v "$nvcc" >/dev/null || {
    echo "$nvcc: not found (nvcc of CUDA 12.8 or later)" >&2
    exit 1
}
[ -r "$asked" ] || {
    echo "$asked: can't be read (run this from the project's folder)" >&2
    exit 1
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
[ $# -gt 0 ] || set -- 75 80 86 89 90a 100 120

# can_name ARCH: does nvcc know of it?
can_name() {
    echo '__global__ void nothing() {}' >"$tmp/nothing.cu"
    "$nvcc" -cubin -arch="sm_$1" "$tmp/nothing.cu" -o "$tmp/x" 2>"$tmp/said" ||
        {
            echo "cards: sm_$1: $nvcc does not know it" >&2
            exit 1
        }
}
for arch in "$@"; do
    can_name "$arch"
done

# asks_for RUNG COLUMN: its bytes at d = 64 and 128, the most of all its kernels,
# with a tab between.
asks_for() {
    awk -F '\t' -v rung="$1" -v column="$2" '
        $1 == rung && $column + 0 >= at[$3] + 0 { at[$3] = $column }
        END {
            if (at[64] == "" || at[128] == "")
                exit 1
            print at[64] "\t" at[128]
        }' "$asked" || {
        echo "$asked: nothing of rung $1 at d = 64 and 128" >&2
        exit 1
    }
}

# compile FILE ARCH: prints "compiles", or why not.
compile() {
    if "$nvcc" -O3 -std=c++17 -I. -cubin -arch="sm_$2" "$1" -o "$tmp/x" \
        >"$tmp/said" 2>&1 </dev/null; then
        echo compiles
    else
        sed -n 's/.*error *: *//p' "$tmp/said" | head -n 1 | grep . || {
            cat "$tmp/said" >&2
            echo "$1: sm_$2: failed, and no error is named" >&2
            exit 1
        }
    fi
}

printf 'rung\tname\tarch\tanswer\tstatic64\tstatic128\tdynamic64\tdynamic128\n'
awk -F '\t' 'FNR > 1 && $1 !~ /first|^b/ && !seen[$1]++ { print $1, $2 }' \
    "$asked" >"$tmp/rungs"
while read -r rung name; do
    file=07_cuda/rung${rung}_$name.cu
    static=$(asks_for "$rung" 6) || exit 1
    dynamic=$(asks_for "$rung" 7) || exit 1
    for arch in "$@"; do
        answer=$(compile "$file" "$arch") || exit 1
        # What a card has and later ones may not: asked for with an "a".
        case $answer:$arch in
        compiles:* | *a) ;;
        *:100 | *:120) answer=$(compile "$file" "${arch}a") || exit 1 ;;
        esac
        printf '%s\t%s\tsm_%s\t%s\t%s\t%s\n' "$rung" "$name" "$arch" \
            "$answer" "$static" "$dynamic"
    done
done <"$tmp/rungs"
