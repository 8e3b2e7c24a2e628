# What bench measured as tables in Markdown. Of one shape, each step:
# awk -v shape='1 8 1024 64 0' -f docs/lab/bench_table.awk docs/results/bench.tsv
# or of one step, each shape:
# awk -v step=flash2_simd -f docs/lab/bench_table.awk docs/results/bench.tsv
BEGIN {
    FS = "\t"
    if (shape)
        print "| step | GFLOP/s | of peak | ms | error |"
    else
        print "| (B, H, N, d) | GFLOP/s | of peak | ms | error |"
    print "|---|--:|--:|--:|--:|"
}
function row(name) {
    printf "| %s | %.*f | %.*f%% | %.*f | %.1e |\n", name, $7 < 10, $7, \
        $8 < 10, $8, $9 < 100, $9, $11
}
NR > 1 && shape == $2 " " $3 " " $4 " " $5 " " $6 { row("`" $1 "`") }
NR > 1 && step == $1 {
    row("(" $2 ", " $3 ", " $4 ", " $5 ")" ($6 ? " causal" : ""))
}
