# table.awk: results.tsv of mutants.sh as a table, a row for each folder. With
# -v judge=1, then `N passed, N failed`: exit 1 if less than 98% were killed.
BEGIN {
    FS = "\t"
    print "| folder | changes | refused | same code | equal | others | killed | alive |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|"
}
{
    sub(/\/[^\/]*$/, "", $1)
    if (!n["`" $1 "`"]++)
        order[++rows] = "`" $1 "`"
    verdict = $5 ~ /\// ? "killed" : $5 # by a test
    came["`" $1 "`", verdict]++
    came["all", verdict]++
}
END {
    n[order[++rows] = "all"] = NR
    for (k = 1; k <= rows; k++) {
        f = order[k]
        others = came[f, "killed"] + came[f, "ALIVE"]
        printf "| %s | %d | %d | %d | %d | %d | %.1f%% | %d |\n", f, n[f],
            came[f, "refused"], came[f, "same"], came[f, "equal"], others,
            100 * came[f, "killed"] / (others ? others : 1), came[f, "ALIVE"]
    }
    bad = came[f, "killed"] < 0.98 * others
    if (judge)
        printf "%d passed, %d failed\n", came[f, "killed"], bad * came[f, "ALIVE"]
    exit judge && bad
}
