# A table of docs/machine_code.md, of docs/results/sass.tsv:
#   awk -v what=loop | room | waits [-v way=back] -f 07_cuda/oracles/sass_rows.awk ...
BEGIN {
    FS = "\t"
    if (what == "loop") {
        print "| rung | d | instructions | tensor cores | exponentials |" \
            " multiply, add, FFMA | maxima | roundings | the rest |"
        print "|---|---|---|---|---|---|---|---|---|"
    } else if (what == "room") {
        print "| rung | d | threads | registers of each |" \
            " shared memory, KiB | blocks a multiprocessor | its warps |"
        print "|---|---|---|---|---|---|---|"
    } else {
        print "| rung 10, machine code | d | exponentials in the loop |" \
            " between the two waits |"
        print "|---|---|---|---|"
    }
}
FNR == 1 || ($1 ~ /^b/) != (way == "back") { next }
what == "waits" {
    if ($2 ~ /^pingpong/)
        printf "| K awaited %s | %s | %d | %d |\n",
            ($1 == 10 ? "after softmax" : "at the top"), \
            $3 substr($2, 9), $11, $17
    next
}
$3 != 64 && $3 != 128 || $1 ~ /first/ { next }
what == "loop" {
    float = $12 + $13 + $14
    printf "| %s %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", $1, $2, $3,
        $9, $10, $11, float, $15, $16, $9 - $10 - $11 - float - $15 - $16
}
what == "room" {
    printf "| %s %s | %d | %d | %d | %.1f | %d | %d |\n", $1, $2, $3, $4, $5,
        ($6 + $7) / 1024, $8, $8 * $4 / 32
}
