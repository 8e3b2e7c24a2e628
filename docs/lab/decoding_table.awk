# What bench measured of decoding as a table in Markdown.
# awk -f docs/lab/decoding_table.awk docs/results/decoding.tsv
BEGIN {
    FS = "\t"
    print "| step | d | GB/s | of reading | error |"
    print "|---|--:|--:|--:|--:|"
}
NR > 1 {
    printf "| `%s` | %d | %.1f | %.0f%% | %.1e |\n", $1, $5, $6, $7, $8
}
