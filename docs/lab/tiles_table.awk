# docs/results/tiles.tsv: of each tile what the compiler made of it, and
# instructions per 128 keys.
BEGIN {
    FS = "\t"
    print "| rung | d | tile | S + O + P | spilled | instructions per 128 keys |" \
        " exponentials beside P V | built so |"
    print "|---|---|---|---|---|---|---|---|"
}
NR > 1 {
    P = $1 ~ /^11/ ? $4 / 8 : $1 ~ /^9/ ? 0 : $4 / 4
    printf "| %s | %d | %d x %d | %d of %d | %d | %d | %s | %s |\n", $1, $2, $3,
        $4, $4 / 2 + $2 / 2 + P, $2 == 64 ? 160 : 240, $5, $6 * 128 / $4,
        $1 ~ /^9/ ? "-" : $8 " of " $7, $9
}
