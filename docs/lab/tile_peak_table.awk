# What tile_peak measured as a table in Markdown.
# awk -f docs/lab/tile_peak_table.awk docs/results/tile_peak.tsv
BEGIN {
    FS = "\t"
    print "| steps of the loop | of the peak | the clock, of the probe's |"
    print "|--:|--:|--:|"
}
{ printf "| %s | %.0f%% | %.0f%% |\n", $1, 100 * $2, 100 * $3 }
