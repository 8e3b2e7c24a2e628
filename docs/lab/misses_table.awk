# misses.tsv as a table: what a cache fetches, over what is counted to be read.
BEGIN {
    FS = "\t"
    print "| M | standard: loads | all | flash1: loads | all | flash2: loads | all |"
    print "|--:|--:|--:|--:|--:|--:|--:|"
}
{
    row[$2] = row[$2] sprintf(" %.2f | %.2f |", $4 / $3, $5 / $3)
    if (!seen[$2]++)
        order[++rows] = $2
}
END {
    for (k = 1; k <= rows; k++)
        printf "| %d |%s\n", order[k], row[order[k]]
}
