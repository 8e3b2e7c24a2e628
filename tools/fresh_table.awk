# tools/fresh_table.awk: README's table of the systems on which its commands
# passed, from docs/results/fresh.tsv (tools/fresh_check.sh).
BEGIN {
    FS = "\t"
    print "| Debian | as | `setup.sh` | compiler | g++ | glibc | CMocka | MPI | passed |"
    print "|---|---|---|---|---|---|---|---|---|"
}
NR > 1 {
    printf "| %s%s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1,
        ($2 == "-" ? "" : " (" $2 ")"), $3, ($4 == "-" ? "" : "`" $4 "`"),
        $5, $6, $7, $8, ($9 == "-" ? "" : $9), $10
}
