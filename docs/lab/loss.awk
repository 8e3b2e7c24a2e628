# loss.awk: prints gnuplot's commands with the data of a picture of loss.gp, from the
# output of `flash precision --csv`. `what` is softmax or attention; with dumb=1 the
# picture is drawn with characters.
#
# The columns are what,rows,type,step,N,d,Bc,repetitions,seed,error,largest, separated by
# tabs. Lines whose error is 0, NaN or infinite are left out.

BEGIN {
    FS = "\t"
}

$1 == what && $10 + 0 > 0 && $10 !~ /[nN]/ {
    line[++lines] = $0
    lengths += !seen["N", $5]++
    tiles += !seen["Bc", $7]++
    columns += !seen["d", $6]++
}

# Returns the number of the text in the list, counted from 1. Adds it if it is new.
function place(list, text) {
    if (!((list, text) in number)) {
        number[list, text] = ++size[list]
        # gnuplot's word() returns the text between double quotes.
        gsub(/["']/, "", text)
        words[list] = words[list] " \"" text "\""
    }
    return number[list, text]
}

function print_list(list) {
    printf "%s = '%s'\n", list, words[list]
}

# Returns the rows as words: "normal:0.25" as "normal, sigma 0.25".
function title(rows) {
    if (sub(/^file:/, "", rows))
        sub(/.*\//, "", rows)
    sub(/^normal:/, "normal, sigma ", rows)
    sub(/^sorted:/, "sorted, sigma ", rows)
    sub(/^uniform:/, "uniform, up to ±", rows)
    return rows
}

# Returns the label of a value of x. A length that is a power of two is shown as such.
function label(value,    k) {
    if (x == 5)
        for (k = 0; 2 ^ k <= value; k++)
            if (2 ^ k == value)
                return (dumb ? "2^" k : "2^{" k "}")
    return value
}

# Prints labels of x, from the largest value down. The axis has room for eight.
function print_tics(    value, last, next_one, gap) {
    gap = (highest / lowest) ^ (1 / 8)
    for (next_one = highest; next_one; ) {
        printf "%s'%s' %s", last ? ", " : "set xtics (", label(next_one), next_one
        last = next_one
        next_one = 0
        for (value in at)
            if (value + 0 > next_one && value + 0 < last && value * gap < 1.001 * last)
                next_one = value + 0
    }
    print ")"
}

END {
    if (!lines) {
        print "exit error '" what ": all errors are 0, NaN or infinite'"
        exit
    }
    x = lengths > 1 || tiles == 1 ? 5 : 7
    for (k = 1; k <= lines; k++) {
        split(line[k], f)
        p = place("panels", title(f[2]))
        g = place("curves", f[4] (x == 5 && tiles > 1 ? ", Bc " f[7] : "") \
                            (columns > 1 ? ", d " f[6] : ""))
        t = place("types", f[3])
        points[p, g, t] = points[p, g, t] f[x] "\t" f[10] "\n"
        at[f[x]]
        if (k == 1)
            highest = lowest = f[x] + 0
        highest = f[x] > highest ? f[x] + 0 : highest
        lowest = f[x] < lowest ? f[x] + 0 : lowest
    }
    print_list("panels")
    print_list("curves")
    print_list("types")
    print_tics()
    printf "set xrange [%s:%s]\n", lowest / 1.5, highest * 1.5
    print "set xlabel '" (x == 7 ? "keys of a tile, Bc" : \
        what == "softmax" ? "scores in the row, n" : "keys, N") \
        (dumb ? " (a letter hides earlier ones)" : "") "'"
    # gnuplot selects a block by its index.
    print "$errors << EOD"
    for (p = 1; p <= size["panels"]; p++)
        for (g = 1; g <= size["curves"]; g++)
            for (t = 1; t <= size["types"]; t++) {
                is_drawn = is_drawn " " ((p, g, t) in points)
                printf "%s\n\n", (p, g, t) in points ? points[p, g, t] : "NaN NaN\n"
            }
    print "EOD"
    printf "is_drawn = '%s'\n", is_drawn
}
