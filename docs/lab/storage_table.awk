# The storage findings of the precision lab as a table of words and errors:
#   awk -v column=relative -f docs/lab/storage_table.awk \
#       docs/results/precision.tsv
# column: relative or largest.
BEGIN {
    FS = "\t"
    n = split("rounding,standard_attention|S and P,standard_attention|" \
        "P,flash1|P,flash2|P; O,flash1|P; O,flash2_deferred|P; O,flash2|" \
        "P; O; m; l,flash1|P; O; m; l,flash2_deferred|" \
        "any,flash1|rising,flash1|falling,flash1", want, "|")
    said["rounding"] = "Q, K, V"
    said["any"] = "P, O, one row"
    said["rising"] = "P, O, rising row"
    said["falling"] = "P, O, falling row"
}
NR == 1 {
    for (i = 1; i <= NF; i++)
        if ($i == column)
            at = i
}
$4 == 64 && $8 != "fp32" {
    data = sub(/^real, /, "", $1) ? "real" : "random"
    gsub(/,/, ";", $1)
    error[$1 == "P; O; one row" ? $7 : $1, $2, data, $8] = $at
}
END {
    printf "%-42s random          real\n", column " error"
    printf "%-18s %-20s bf16    fp16    bf16    fp16\n", "stored low", "step"
    for (i = 1; i <= n; i++) {
        split(want[i], w, ",")
        name = w[1] in said ? said[w[1]] : w[1]
        gsub(/;/, ",", name)
        printf "%-18s %-19s", name, w[2]
        for (k = 1; k <= 4; k++) {
            e = error[w[1], w[2], k < 3 ? "random" : "real", \
                k % 2 ? "bf16" : "fp16"]
            printf " %7s", e == "" ? "-" : sprintf("%.1e", e)
        }
        printf "\n"
    }
}
