# Tables of docs/backward.md, as Markdown: what = "alone", "mean" or "off" from
# build/lab/backward_precision.tsv, "first" from backward_traffic.tsv.
#
#     awk -v what=alone -f docs/lab/backward_table.awk docs/results/...

BEGIN {
    FS = "\t"
    if (what == "alone")
        print "| only this quantity | computed in fp32: dQ | dK | dV | " \
            "rounded to bf16: dQ | dK | dV |\n|---|---|---|---|---|---|---|"
    if (what == "mean")
        print "| mean of V | D = dO · O: dQ | dK | D = Σ P dP: dQ | dK |\n" \
            "|---|---|---|---|---|"
    if (what == "off")
        print "| L off by | dQ | dK | dV |\n|---|---|---|---|"
    if (what == "first")
        print "| step | d | of standard's traffic at M = 8,192 | less than " \
            "standard from M = |\n|---|--:|--:|--:|"
}

$1 == "over" && $4 == 8192 { over = $7 }
$1 != what { next }
what == "alone" && $3 == "fp32" { order[++n] = $2 }
what == "alone" { cells[$2] = cells[$2] " " $4 " | " $5 " | " $6 " |" }
what == "mean" && $3 == "dO . O" { printf "| %s | %s | %s |", $2, $4, $5 }
what == "mean" && $3 != "dO . O" { printf " %s | %s |\n", $4, $5 }
what == "off" { printf "| %s | %s | %s | %s |\n", $2, $3, $4, $5 }
what == "first" {
    printf "| `%s` | %s | %.2f | %d,%03d |\n", $2, $3, over, $4 / 1000, \
        $4 % 1000
}

END {
    for (k = 1; k <= n; k++)
        print "| " order[k] " |" cells[order[k]]
}
