# What ideas measured as a table in Markdown: without each idea, the speed in
# percent of the whole's.
# awk -f docs/lab/ideas_table.awk docs/results/ideas.tsv
BEGIN {
    FS = "\t"
    title["nothing"] = "nothing: what the others are compared with, again"
    title["vector_exp"] = "exp in vectors: `expf`, a call for each weight"
    title["side_by_side"] = "its stages side by side: a vector after the other"
    title["registers"] = "IN_REGISTER"
    title["prefetch"] = "prefetching"
    title["transposing"] = "transposing in registers"
}
NR == 1 { next }
{
    shape = "(" $2 ", " $3 ", " $4 ", " $5 ")" ($6 ? " causal" : "")
    if (!((shape) in seen)) {
        seen[shape] = 1
        shapes[++columns] = shape
    }
    if (!($1 in known)) {
        known[$1] = 1
        ideas[++rows] = $1
    }
    percent[$1, shape] = $7
}
END {
    line = "| without |"
    rule = "|---|"
    for (k = 1; k <= columns; k++) {
        line = line " " shapes[k] " |"
        rule = rule "--:|"
    }
    print line
    print rule
    for (i = 1; i <= rows; i++) {
        line = "| " title[ideas[i]] " |"
        for (k = 1; k <= columns; k++)
            line = line sprintf(" %.0f%% |", percent[ideas[i], shapes[k]])
        print line
    }
}
