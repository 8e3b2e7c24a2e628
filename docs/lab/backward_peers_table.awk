# What bench_backward_peers measured as a table in Markdown.
# awk -f docs/lab/backward_peers_table.awk docs/results/bench_backward_peers.tsv
BEGIN {
    FS = "\t"
    print "| (B, H, N, d) | `backward_simd`, GFLOP/s | of peak | " \
        "PyTorch takes |\n|---|--:|--:|--:|"
}
NR == 1 { next }
$1 == "backward_simd" {
    printf "| (%s, %s, %s, %s)%s | %.0f | %.0f%% ", $2, $3, $4, $5,
        $6 ? " causal" : "", $8, 100 * $9
    ours = $10
    next
}
{ printf "| %.2fx |\n", $10 / ours }
