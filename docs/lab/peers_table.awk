# What bench_peers measured as a table in Markdown: flash2_simd's speed, and how
# many times as long the peers took.
# awk -f docs/lab/peers_table.awk docs/results/bench_peers.tsv
BEGIN {
    FS = "\t"
    names = split("openblas torch numpy", peer, " ")
    print "| (B, H, N, d) | flash2_simd, GFLOP/s | of peak | openblas | " \
        "torch | numpy |"
    print "|---|--:|--:|--:|--:|--:|"
}
NR == 1 { next }
{
    shape = "(" $2 ", " $3 ", " $4 ", " $5 ")" ($6 ? " causal" : "")
    ms[shape, $1] = $9
}
$1 == "flash2_simd" {
    shapes[++n] = shape
    start[shape] = sprintf("%.0f | %.0f%%", $7, $8)
}
END {
    for (i = 1; i <= n; i++) {
        line = "| " shapes[i] " | " start[shapes[i]]
        for (k = 1; k <= names; k++) {
            cell = "-"
            if ((shapes[i], peer[k]) in ms) {
                ratio = ms[shapes[i], peer[k]] / ms[shapes[i], "flash2_simd"]
                cell = sprintf("%.2fx", ratio)
                count[k]++
                logs[k] += log(ratio)
            }
            line = line " | " cell
        }
        print line " |"
    }
    line = "| geometric mean | |"
    for (k = 1; k <= names; k++)
        line = line " | " (count[k] ? sprintf("%.2fx", \
            exp(logs[k] / count[k])) : "-")
    print line " |"
}
