# awk -v name=NAME -v floor=ERROR -f tools/same_table.awk COMMITTED NEW
#
# Compares two tables of tab-separated fields; exit 1 and the first lines that
# differ. Machines round differently, so
#
#   - a number in scientific notation, an error, may be up to twice or half, and
#     all below the floor are the same
#   - any other number with a point may differ by one in a thousand, or by 2 in
#     its last digit
#
# All else must be equal to the letter.

BEGIN { FS = "\t" }

FNR == NR { old[++n] = $0; next }

function is_number(x) {
    return x ~ /^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/
}

function size(x) {
    return x < 0 ? -x : x
}

function same(a, b,    x, y, digits) {
    if (a == b)
        return 1
    if (!is_number(a) || !is_number(b) || (a b) !~ /[.e]/)
        return 0
    x = a + 0
    y = b + 0
    if ((a b) ~ /e/)
        return (size(x) < floor && size(y) < floor) ||
            (y != 0 && x / y <= 2 && x / y >= 0.5)
    digits = a
    sub(/.*\./, "", digits)
    return size(x - y) <= 0.001 * size(x) ||
        size(x - y) <= 2.01 * 10 ^ -length(digits)
}

{
    differs = split(old[FNR], was, FS) != NF
    for (i = 1; !differs && i <= NF; i++)
        differs = !same(was[i], $i)
    if (differs && ++different <= 5) {
        print name ":" FNR ": is not what the program gives"
        print "  table: " old[FNR]
        print "  now:   " $0
    }
}

END {
    if (FNR != n) {
        print name ": has " n " lines, the program gives " FNR
        different++
    }
    exit different > 0
}
