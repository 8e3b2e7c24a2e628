#!/bin/sh
# sass_check.sh PACKAGES LAUNCHES: reads the machine code that nvcc-check and
# nvcc-hopper have compiled: rungs 0 to 7 and b1 to b3 for sm_80, the others for
# sm_90a. Fails if
#
#   - a kernel from rung 5b on, or of the backward pass, uses local memory
#   - an instruction other than wgmma uses the registers of a running wgmma
#   - a consumer passes its turn on before it has started both products
#   - in a loop of rung 10 or 11, fewer than three quarters of a tile's
#     exponentials (50 of 66) are between the wait for its scores and the wait
#     for the P V that runs at the same time
#   - sass.awk does not find mistakes planted in the machine code or in rung 10
#   - docs/results/sass.tsv or ptxas.tsv, which the pages show, is not up to date
#
# With another version of ptxas than 13.0 the script prints these failures, but its
# exit status is 0.
set -u
export LC_ALL=C

packages=$1
launches=$2
here=$(dirname "$0")
cubins=${BUILD:-build}/07_cuda/nvcc
folder=${packages%/*}
shown=docs/results/sass.tsv
tolerance=5 # percent, for the columns from `loop` on, except exp2

# Ends the script if nothing can be read. With REQUIRE=all this is an error.
nothing() {
    echo "sass-check: nothing was checked"
    [ "${REQUIRE-}" != all ]
    exit
}
command -v "${NVCC:-nvcc}" >/dev/null || {
    echo "${NVCC:-nvcc}: not found (nvcc of CUDA 12.6 or later)" >&2
    nothing
}
package=nvidia-cuda-nvdisasm==13.2.51
nvdisasm=$packages/nvidia/cu13/bin/nvdisasm
# install_nvdisasm: installs NVIDIA's disassembler from PyPI.
install_nvdisasm() {
    rm -rf "$packages"
    mkdir -p "$folder"
    python3 -m pip install -q --disable-pip-version-check --no-deps --retries 1 \
        --root-user-action=ignore --target "$packages" "$package" \
        >"$packages.log" 2>&1 && chmod +x "$nvdisasm" && : >"$packages/$package"
}
[ -e "$packages/$package" ] || install_nvdisasm || {
    echo "sass-check: $package: pip cannot install it; see $packages.log" >&2
    nothing
}
"$nvdisasm" --version >/dev/null 2>&1 || {
    echo "$nvdisasm: does not run here" >&2
    nothing
}
case $("${NVCC:-nvcc}" --version) in
*"release 13.0,"*) asserted=true ;;
*) asserted=false ;;
esac

failed=0
fail() {
    echo "FAILED  $*"
    failed=$((failed + 1))
}

# code NAME.ARCH: disassembles a cubin, and writes a line per kernel (sass.awk).
code() {
    "$nvdisasm" -c "$cubins/$1.cubin" >"$folder/$1.sass" &&
        awk -f "$here/sass.awk" "$folder/$1.sass" >"$folder/$1.kernels"
}

# add NAME.ARCH: appends NAME.ARCH's kernels and ptxas log to the files of all kernels.
add() {
    sed "s/^/$1	/" "$folder/$1.kernels" >>"$folder/sass.kernels"
    sed "s/^/$1	/" "$cubins/$1.log" >>"$folder/sass.log.part"
}

: >"$folder/sass.kernels"
: >"$folder/sass.log.part"
for file in 07_cuda/rung*.cu 07_cuda/backward/b[0-9]*_*.cu; do
    name=$(echo "${file#07_cuda/}" | sed 's|/|-|; s|\.cu$||') # nvcc_check.sh
    [ -e "$cubins/$name.sm_80.cubin" ] && name=$name.sm_80 ||
        name=$name.sm_90a
    code "$name" || {
        fail "$name: nvdisasm can't read it"
        continue
    }
    awk -v file="$name" '
        BEGIN { FS = OFS = "\t" }
        {
            if ($11 && file !~ /^rung([0-4]|5a)_/)
                print file ": " $1 ": " $11 " accesses to local memory"
            if ($12)
                print file ": " $1 ": " $12 " uses of registers of a running wgmma, or turns passed on too early"
            if (file ~ /^rung1[01]/ && $1 ~ /pingpong|fp8I/ && 4 * $10 < 3 * $4)
                print file ": " $1 ": " $10 " of " $4 " exponentials during P V"
        }' "$folder/$name.kernels" >"$folder/$name.wrong"
    while read -r line; do
        fail "$line"
    done <"$folder/$name.wrong"
    add "$name"
done

# Makes the first version of rung 10, which waits for K at the top of the loop. Its
# exponentials do not overlap with P V, and the numbers must show this.
first=rung10-first_pingpong
sed -e '/if (w.tiles > 1)/{N;d;}' -e '/here, not at the top/{N;d;}' \
    -e 's/wait_for_turn(group);/mbarrier_wait(\&b.K_full[k.stage], k.parity);&/' \
    07_cuda/rung10_pingpong.cu >"$folder/$first.cu"
"${NVCC:-nvcc}" -O3 -std=c++17 -I. -Itools/emulator/include -Xptxas -v -cubin \
    -gencode=arch=compute_90a,code=sm_90a "$folder/$first.cu" \
    -o "$cubins/$first.sm_90a.cubin" >"$cubins/$first.sm_90a.log" 2>&1 &&
    code $first.sm_90a && add $first.sm_90a
awk '4 * $10 >= 3 * $4 { early = 1 } END { exit !early }' \
    "$folder/$first.sm_90a.kernels" && fail "$first: the missing overlap is not found"
mv "$folder/sass.log.part" "$folder/sass.log"

# planted WHAT NAME SED FIELD: plants a mistake in the machine code of NAME by the sed
# script SED. Fails if this does not change column FIELD of the output of sass.awk.
planted() {
    sed "$3" "$folder/$2.sass" | awk -f "$here/sass.awk" |
        cut -f "$4" >"$folder/planted"
    cut -f "$4" "$folder/$2.kernels" | cmp -s - "$folder/planted" &&
        fail "a planted mistake is not found: $1"
}
planted "an access to local memory" rung10_pingpong.sm_90a \
    '/DEPBAR.LE gsb0, 0x1/s/WARPGROUP.*/STL [R1], R2 ;/' 11
planted "a use of an accumulator of a running wgmma" rung10_pingpong.sm_90a \
    '/DEPBAR.LE gsb0, 0x1/s/WARPGROUP.*/FADD R5, R24, R25 ;/' 12
planted "a read of A in the registers of a running wgmma" \
    rung10_pingpong.sm_90a \
    '/DEPBAR.LE gsb0, 0x1/{p;s/WARPGROUP.*/STS [R1], R176 ;/;}' 12
planted "a turn passed on before P V" rung10_pingpong.sm_90a \
    '/BAR.SYNC.*R[0-9]*, 0x100/{p;s/BAR.SYNC[A-Z_.]*/BAR.ARV/;}' 12
planted "exponentials after the second wait" rung10_pingpong.sm_90a \
    '/DEPBAR.LE gsb0, 0x1/{p;s/0x1/0x0/;}' 10

"$launches" >"$folder/launches.tsv" || fail "launches"
awk -f "$here/sass_table.awk" "$folder/launches.tsv" "$folder/sass.log" \
    "$folder/sass.kernels" >"$folder/sass.tsv"

# The numbers that ptxas reports for each architecture must equal those in ptxas.tsv.
reported=docs/results/ptxas.tsv
echo "rung name D arch threads registers spilled shared blocks" |
    tr ' ' '\t' >"$folder/ptxas.tsv"
for arch in sm_80 sm_86 sm_90a; do
    for cubin in "$cubins"/rung*_*."$arch".cubin \
        "$cubins"/backward-b*."$arch".cubin; do
        name=$(basename "$cubin" .cubin)
        sed "s/^/$name	/" "$cubins/$name.log"
    done >"$folder/arch.log"
    sed -n "s/\(.*\)ptxas.*entry function '\(.*\)' for.*/\1\2/p" \
        "$folder/arch.log" >"$folder/arch.kernels"
    awk -v ptxas=$arch -f "$here/sass_table.awk" "$folder/launches.tsv" \
        "$folder/arch.log" "$folder/arch.kernels" | grep -v first \
        >>"$folder/ptxas.tsv"
done
cmp "$folder/ptxas.tsv" $reported || {
    diff $reported "$folder/ptxas.tsv"
    fail "$reported; if this is intended: cp $folder/ptxas.tsv $reported; make docs"
}

awk -v tolerance=$tolerance -v shown=$shown -v new="$folder/sass.tsv" '
    BEGIN { FS = "\t" }
    FNR == NR { line[FNR] = $0; lines = FNR; next }
    {
        split(line[FNR], was, FS)
        same = NF > 0
        for (k = 1; k <= NF; k++) {
            d = 100 * ($k - was[k])
            near = k > 8 && k < 18 && k != 11 && d <= tolerance * $k && -d <= tolerance * $k
            if ($k "" != was[k] "" && !near)
                same = 0
        }
        if (!same) {
            print shown ", line " FNR ": " line[FNR] "; now: " $0
            bad = 1
        }
    }
    END {
        if (FNR != lines || bad) {
            print "if this is intended: cp " new " " shown "; make docs"
            exit 1
        }
    }' $shown "$folder/sass.tsv" || fail "$shown"

echo "$(wc -l <"$folder/sass.kernels") kernels read"
"$asserted" || {
    echo "ptxas is not 13.0: differences are no failures"
    exit 0
}
[ "$failed" -eq 0 ]
