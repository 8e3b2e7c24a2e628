# table.awk: results.tsv of mutants.sh as a table, a row for each folder. With
# -v judge=1, then `N passed, N failed`: exit 1 if less than 98% were killed.
BEGIN {
    FS = "\t"
    print "| folder | changes | refused | same code | equal | others | killed | alive |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|"
}
function count(where) {
    if (!n[where]++ && where != "all")
        order[++folders] = where
    came[where, $5 ~ /^(refused|same|equal|ALIVE)$/ ? $5 : "killed"]++
}
function row(where,    others) {
    others = came[where, "killed"] + came[where, "ALIVE"]
    printf "| %s | %d | %d | %d | %d | %d | %.1f%% | %d |\n", where, n[where],
        came[where, "refused"], came[where, "same"], came[where, "equal"],
        others, 100 * came[where, "killed"] / (others ? others : 1),
        came[where, "ALIVE"]
    return came[where, "killed"] < 0.98 * others
}
{
    sub(/\/[^\/]*$/, "`", $1)
    count("`" $1)
    count("all")
}
END {
    for (k = 1; k <= folders; k++)
        row(order[k])
    bad = row("all")
    if (judge)
        printf "%d passed, %d failed\n", came["all", "killed"], bad * came["all", "ALIVE"]
    exit judge && bad
}
