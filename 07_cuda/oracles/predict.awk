# predict.awk: a table of docs/predictions.md, from docs/results/sass.tsv.
#
# What a tile of keys takes of a multiprocessor, in clocks: of its tensor cores,
# of the unit that has the exponentials (MUFU), and of the four schedulers, which
# issue an instruction each. A warp's tile, or from rung 8 on a warpgroup's: rows
# queries, keys keys. Rates are NVIDIA's (docs/predictions.md); TFLOP/s is the
# share of the tensor cores' clocks, of their peak. A model: nothing was timed.

BEGIN {
    FS = "\t"
    print "| rung | d | on an | tensor cores | MUFU | issue | binds |" \
        " TFLOP/s in turn | side by side |"
    print "|---|---|---|---|---|---|---|---|---|"
}

function most(a, b) { return a > b ? a : b }

FNR == 1 || $1 ~ /first/ { next }

# On an A100; only where the written loop holds all products of a tile.
$1 ~ /^(5b|6a|6b|7)$/ {
    rows = $1 == "7" && $3 < 256 ? 32 : 16
    keys = $1 == "7" && $3 > 64 ? 32 : 64
    if ($3 != 64 && $3 != 128 || $10 * 4096 != 4 * rows * keys * $3)
        next
    row(4 * rows * keys * $3 / 2048, 1, "A100", 312)
}

$1 ~ /^(8|9|10|11)$/ {
    fp8 = $1 == 11
    row(4 * 64 * 128 * $3 / (fp8 ? 8192 : 4096), 4, "H100", fp8 ? 1979 : 989)
}

# tensor: clocks; of so many warps; peak: of the whole GPU.
function row(tensor, warps, gpu, peak, mufu, issue, other) {
    mufu = $11 * 32 * warps / 16
    issue = $9 * warps / 4
    other = most(mufu, issue)
    printf "| %s %s | %d | %s | %d | %d | %d | %s | %d | %d |\n", $1, $2, $3, \
        gpu, tensor, mufu, issue, \
        (tensor >= other ? "tensor cores" : mufu >= issue ? "MUFU" : "issue"), \
        peak * tensor / (tensor + other), peak * tensor / most(tensor, other)
}
