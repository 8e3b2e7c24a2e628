# awk -v name=NAME [-v floor=ERROR] [-v loose=SHARE] -f tools/same.awk OLD NEW
#
# Compares what is committed with what the programs give now; exit 1 and the
# first lines that differ. Machines round differently: a number in scientific
# notation, an error, may be up to twice or half, and all below the floor are the
# same; with loose=SHARE any other number with a point may differ by that share, or
# by 2 in its last digit. Blanks of any length are one. All else must be equal.

BEGIN { NUMBER = "-?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?" }

FNR == NR { old[++n] = $0; next }

function size(x) { return x < 0 ? -x : x }

function same_number(a, b,    x, y) {
    x = a + 0
    y = b + 0
    if (a "" == b "")
        return 1
    if ((a b) ~ /e/)
        return (size(x) < floor && size(y) < floor) ||
            (y != 0 && x / y <= 2 && x / y >= 0.5)
    return loose && index(a, ".") && (size(x - y) <= loose * size(x) ||
        size(x - y) <= 2.01 * 10 ^ (index(a, ".") - length(a)))
}

# Lines: the text between the numbers to the letter, then number by number.
function same_line(a, b,    start, length_of_a) {
    gsub(/[ \t]+/, " ", a)
    gsub(/[ \t]+/, " ", b)
    while (a != b) {
        start = match(a, NUMBER)
        length_of_a = RLENGTH
        if (!start || match(b, NUMBER) != start ||
            substr(a, 1, start - 1) != substr(b, 1, start - 1) ||
            !same_number(substr(a, start, length_of_a), substr(b, start, RLENGTH)))
            return 0
        b = substr(b, start + RLENGTH)
        a = substr(a, start + length_of_a)
    }
    return 1
}

!same_line(old[FNR], $0) && ++different <= 5 {
    print name ":" FNR ": is not what the program gives"
    print "  there: " old[FNR]
    print "  now:   " $0
}

END {
    if (FNR != n) {
        print name ": has " n " lines, and " FNR " are made now"
        different++
    }
    exit different > 0
}
