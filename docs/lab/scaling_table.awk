# What scaling measured as a table in Markdown: time and memory against N, on
# all threads; a step stops where it would take too long. A row is refused if
# the probe beside it was below four fifths of the best one on as many threads:
# somebody else was using the machine.
# awk -f docs/lab/scaling_table.awk docs/results/scaling.tsv
BEGIN {
    FS = "\t"
    steps = split("standard_attention flash2 flash2_lanes flash2_simd", step, " ")
    line = "| N |"
    rule = "|--:|"
    for (k = 1; k <= steps; k++) {
        line = line " `" step[k] "` |"
        rule = rule "--:|"
    }
    print line
    print rule
}
NR > 1 && !(($1, $2) in cell) {
    probe[$1, $2] = $6 + 0
    if ($6 + 0 > best)
        best = $6 + 0
    cell[$1, $2] = ($4 < 10 ? sprintf("%.1f ms", $4) : $4 < 1e4 ? \
        sprintf("%.0f ms", $4) : sprintf("%.1f s", $4 / 1e3)) sprintf(", %.0f MB", $5)
}
END {
    for (N = 256; N <= 131072; N *= 2) {
        line = "| " N " |"
        for (k = 1; k <= steps; k++)
            line = line " " (!((step[k], N) in cell) ? "-" : \
                probe[step[k], N] < 0.8 * best ? "refused" : \
                cell[step[k], N]) " |"
        print line
    }
}
