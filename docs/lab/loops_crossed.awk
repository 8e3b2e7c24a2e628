# What crosses for FlashAttention, for the first page of chapter 06, from
# build/lab/race.tsv and loops.tsv: which must agree, as they draw the same head.
$4 == "total" { race[$1] = $3 }
$1 == "moved" {
    all[$2] += $4 + $5
    if ($3 == "O" || $3 == "mlL")
        state[$2] += $4 + $5
}
END {
    if (all["flash1"] != race["flash1"] || all["flash2"] != race["flash2"])
        exit 1
    printf "%.0f kB cross the border of the chip, and %.0f of them are O, m " \
        "and l:\nwritten, read, written, read, written.\n",
        all["flash1"] / 1e3, state["flash1"] / 1e3
}
