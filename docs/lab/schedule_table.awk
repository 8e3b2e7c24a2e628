# The shares of build/lab/schedule.tsv, a line for each causal problem.
BEGIN {
    FS = "\t"
    print "| heads | N | d | every 132nd | to who is free | longest first |"
    print "|---|---|---|---|---|---|"
}
$1 == "share" && $7 == 1 {
    share[$2] = $8
    if ($2 == "longest")
        printf "| %d | %d | %d | %d%% | %d%% | %d%% |\n", $4, $5, $6,
            share["stride"], share["grid"], share["longest"]
}
