# budget.awk: the picture of docs/07_backward.md, from docs/results/sass.tsv:
# the registers of a thread of backward rung 3, a letter for each 4 of them. A
# lane has D / 2 elements of 16 rows of dK, and as many of dV; of S and of dP it
# has one for each exponential of the loop.
BEGIN {
    FS = "\t"
    print "```text"
}

function bar(name, registers, s) {
    s = name " " registers
    while (length(s) < registers / 4 - 1)
        s = s " "
    return s "|"
}

$1 == "b3" {
    left = $5 - $3 - 2 * $11
    printf "d %3d |%s%s%s%s%s %d of 255\n", $3, bar("dK", $3 / 2), \
        bar("dV", $3 / 2), bar("S", $11), bar("dP", $11), \
        bar("others", left), $5
}

END { print "```" }
