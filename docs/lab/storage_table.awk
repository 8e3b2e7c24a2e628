# The storage findings of the precision lab as a table of words and errors:
# awk -f docs/lab/storage_table.awk docs/results/precision.tsv
BEGIN { FS = "\t" }
$1 == "S and P" || ($1 != "inputs" && $2 == "flash1" && $4 == 64 &&
                    $8 != "fp32") {
    name = $1 ($7 == "any" ? "" : ", " $7)
    if (!(name in seen) && !(seen[name] = ++n))
        next
    names[seen[name]] = name
    if (!((name, $8) in error))
        error[name, $8] = $12
}
END {
    printf "%-22s %-10s %s\n", "stored low", "bf16", "fp16"
    for (i = 1; i <= n; i++)
        printf "%-22s %-10s %s\n", names[i], error[names[i], "bf16"], \
            error[names[i], "fp16"]
}
