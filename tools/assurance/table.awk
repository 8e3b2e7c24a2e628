# table.awk: what mutants.sh counted as a table, a row for each folder.
BEGIN {
    FS = "\t"
    print "| folder | changes | refused | same code | equal | others | killed | alive |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|"
}
{
    folder = "`" $1 "`"
    if (!n[folder])
        order[++rows] = folder
    n[folder] += $3
    n["all"] += $3
    came[folder, $2] += $3
    came["all", $2] += $3
}
END {
    order[++rows] = "all"
    for (k = 1; k <= rows; k++) {
        f = order[k]
        others = came[f, "killed"] + came[f, "ALIVE"]
        printf "| %s | %d | %d | %d | %d | %d | %.1f%% | %d |\n", f, n[f],
            came[f, "refused"], came[f, "same"], came[f, "equal"], others,
            100 * came[f, "killed"] / (others ? others : 1), came[f, "ALIVE"]
    }
}
