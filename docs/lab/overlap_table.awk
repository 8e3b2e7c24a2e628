# Decoding's reading and computing as a table in Markdown; with GHZ the share of
# reading alone on a Zen 4 of that clock, if it did one after the other.
# awk [-v GHZ=3.7] -f docs/lab/overlap_table.awk docs/results/overlap.tsv
BEGIN {
    FS = "\t"
    n = split("20 30 40 50", rates, " ")
    if (GHZ) {
        print "| `split_kv_simd` | d | 20 GB/s | 30 GB/s | 40 GB/s | 50 GB/s |"
        print "|---|--:|--:|--:|--:|--:|"
    } else {
        print "| `split_kv_simd` | d | reading | computing | both | of reading " \
            "| no request for | above 320, in a tile | computing, model: Sapphire Rapids " \
            "| Zen 4 |"
        print "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    }
}
GHZ {
    line = "| " $1 " | " $2
    for (i = 1; i <= n; i++)
        line = line sprintf(" | %.0f%%", 100 / (1 + $12 / GHZ * rates[i] / 64))
    print line " |"
    next
}
{
    printf "| %s | %d | %.2f ns | %.2f ns | %.2f ns | %.0f%% " \
        "| %d instructions | %d | %.2f cycles | %.2f cycles |\n",
        $1, $2, $3, $4, $5, 100 * $3 / $5, $7, $8, $10, $12
}
