# predict.awk: a table of docs/predictions.md, from docs/results/sass.tsv.
#
# What a tile of keys takes of a multiprocessor, in clocks: of its tensor cores,
# of the unit that has the exponentials (MUFU), and of the four schedulers, which
# issue an instruction each. A warp's tile, or from rung 8 on a warpgroup's: rows
# queries, keys keys. Of the way back (-v way=back) a tile of queries, of b1 and
# b2, which are fp32, a query. Rates are NVIDIA's (docs/predictions.md); TFLOP/s
# is the share of the products' clocks, of their peak. A model: nothing was timed.

BEGIN {
    FS = "\t"
    print "| rung | d | on an | " (way ? "products" : "tensor cores") " | MUFU | issue | binds |" \
        " TFLOP/s in turn | side by side |"
    print "|---|---|---|---|---|---|---|---|---|"
}

function most(a, b) { return a > b ? a : b }

FNR == 1 || $1 ~ /first/ || ($1 ~ /^b/) != (way == "back") { next }

# On an A100; only where the written loop holds all products of a tile.
$1 ~ /^(5b|6a|6b|7)$/ {
    rows = $1 == "7" && $3 < 256 ? 32 : 16
    keys = $1 == "7" && $3 > 64 ? 32 : 64
    if ($3 != 64 && $3 != 128 || $10 * 4096 != 4 * rows * keys * $3)
        next
    row(4 * rows * keys * $3 / 2048, 1, "A100", 312, $11, $9)
}

# An FFMA of a warp takes half a clock of the 64 lanes that there are.
$1 ~ /^b[12]$/ && $3 >= 64 {
    row($14 / 2, 1, "A100, fp32", 19.5, $11, $9)
}

# The loop is run twice for a tile; its products are five of 16 keys.
$1 == "b3" && $3 >= 64 {
    rows = 4 * $11
    if (($19 + $10) * 4096 != 10 * rows * 16 * $3)
        next
    row(10 * rows * 16 * $3 / 2048, 1, "A100", 312, 2 * $11, $18 + $9)
}

# Of a warpgroup, 64 rows: three products of dQ's kernel, four of the other's.
# A wgmma has 64 x 16 x n, n as wide as the tile that it makes.
$1 == "b4a" && $3 >= 64 {
    dQ = $2 ~ /dQ/
    columns = $11 * 2
    row((dQ ? 6 : 8) * 64 * columns * $3 / 4096, 4, "H100", 989, $11, $9)
}

# All five, of which a warpgroup has half of the last one's.
$1 == "b4b" && $3 >= 64 {
    row(10 * 64 * 2 * $11 * $3 / 4096, 4, "H100", 989, $11, $9)
}

# An exponential for each two columns of a tile, and two to rescale.
$1 ~ /^(8|9|10|11)$/ {
    fp8 = $1 == 11
    row(4 * 64 * 2 * ($11 - 2) * $3 / (fp8 ? 8192 : 4096), 4, "H100", \
        fp8 ? 1979 : 989, $11, $9)
}

# products: clocks; of so many warps; peak: of the whole GPU; exponentials and
# instructions: of a thread.
function row(products, warps, gpu, peak, exps, instructions, mufu, issue, other) {
    mufu = exps * 32 * warps / 16
    issue = instructions * warps / 4
    other = most(mufu, issue)
    printf "| %s %s | %d | %s | %d | %d | %d | %s | %s | %s |\n", $1, $2, $3, \
        gpu, products, mufu, issue, \
        (products >= other ? (peak < 20 ? "FFMA" : "tensor cores") : \
            mufu >= issue ? "MUFU" : "issue"), \
        rate(peak, products / (products + other)), \
        rate(peak, products / most(products, other))
}

function rate(peak, share) {
    return peak < 20 ? sprintf("%.1f", peak * share) : int(peak * share)
}
