# counts.awk: of the verdicts of mutants.sh, how many there are of each kind in
# each folder: folder, kind, number.
BEGIN {
    FS = OFS = "\t"
}
{
    sub(/\/[^\/]*$/, "", $1)
    kind = $5 ~ /\// ? "killed" : $5 # by a test
    if (!n[$1, kind]++) {
        folder[++rows] = $1
        what[rows] = kind
    }
}
END {
    for (k = 1; k <= rows; k++)
        print folder[k], what[k], n[folder[k], what[k]]
}
