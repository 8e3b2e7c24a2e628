# What tile_peak measured as a table in Markdown.
# awk -f docs/lab/tile_peak_table.awk docs/results/tile_peak.tsv
BEGIN {
    FS = "\t"
    print "| the loop | of the peak |"
    print "|---|--:|"
}
{
    what = "the register tile, " $1 " steps"
    if ($1 == "loads")
        what = "its multiply-adds, beside loads that nobody uses"
    if ($1 ~ /x/)
        what = "one product of " $1 " numbers, by PyTorch's library"
    printf "| %s | %.0f%% |\n", what, 100 * $2
}
