# table.awk: results.tsv of mutants.sh as a table, a row for each folder. With
# -v judge=1, then `N passed, N failed`: exit 1 if less than 98% were killed.
BEGIN {
    FS = "\t"
    print "| folder | changes | refused | same code | equal | others | killed | alive |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|"
}
function count(where) {
    n[where]++
    came[where, $5 ~ /^(refused|same|equal|ALIVE)$/ ? $5 : "killed"]++
}
function row(name, where,    killed, alive) {
    killed = came[where, "killed"]
    alive = came[where, "ALIVE"]
    printf "| %s | %d | %d | %d | %d | %d | %.1f%% | %d |\n", name, n[where],
        came[where, "refused"], came[where, "same"], came[where, "equal"],
        killed + alive, killed + alive ? 100 * killed / (killed + alive) : 0,
        alive
}
{
    folder = $1
    sub(/\/[^\/]*$/, "", folder)
    if (!(folder in n))
        order[++folders] = folder
    count(folder)
    count("all")
}
END {
    for (k = 1; k <= folders; k++)
        row("`" order[k] "`", order[k])
    row("all", "all")
    if (judge) {
        killed = came["all", "killed"]
        bad = killed < 0.98 * (killed + came["all", "ALIVE"])
        printf "%d passed, %d failed\n", killed, bad ? came["all", "ALIVE"] : 0
        exit bad
    }
}
