# awk -v page=NAME -f tools/same_page.awk COMMITTED WOVEN
#
# Compares the woven blocks of a page with what weaving gives now; exit 1 and
# page, line, old and new if they differ. In a block with measured figures
#
#   - a number with a unit of time or rate behind it (3.1 ms, 12 GB/s, 84% of
#     peak, 1.9 times faster) may be any other, of another length; so may what
#     stands below a column's head that is a unit alone (ms), in commas or |
#   - a number in scientific notation (1.2e-07) may be up to twice or half;
#     0 and anything below fp32's epsilon are the same
#
# Column widths depend on both, so blanks and dashes count there only as one.
# All else, and every other block, must be equal to the letter.

BEGIN {
    TIMED = "[0-9][0-9.,]*(e[-+]?[0-9]+)? ?" \
        "(ns|us|ms|s|min|h|[A-Za-z]+/s" \
        "|%[a-z ]*(peak|bandwidth|bound)|(x|times) (as fast|faster))"
}

FNR == NR { old[++n_old] = $0; next }
{ new[++n_new] = $0 }

function is_measured(line) {
    return strip_times(line) != line || line ~ /[0-9]e[-+]?[0-9]/ ||
        read_header(line)
}

# Each time or rate, with the blanks around it, becomes #.
function strip_times(line,    out, start, number, before, after) {
    while (match(line, TIMED)) {
        start = substr(line, 1, RSTART - 1)
        number = substr(line, RSTART, RLENGTH)
        before = substr(out start, length(out start))
        after = substr(line, RSTART + RLENGTH)
        line = after
        # `2s` of `v2s` is no time, nor is `5 s` of `5 steps`.
        if (before ~ /[A-Za-z0-9_]/ || after ~ /^[A-Za-z0-9_\/-]/) {
            out = out start number
            continue
        }
        sub(/ +$/, "", start)
        sub(/^ +/, "", line)
        out = out start "#"
    }
    return out line
}

function normal(line) {
    line = strip_columns(strip_times(line))
    gsub(/--+/, "-", line)
    gsub(/ +/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    gsub(/ ?[|] ?/, " | ", line)
    return line
}

# In comma-separated data and Markdown tables the unit stands in the header:
# what is below a lone `ms` or `GB/s` becomes # too.
function is_unit(cell) {
    return cell ~ /^ *(ns|us|ms|s|[A-Za-z]+\/s) *$/
}

# If the line is such a header, remembers which of its columns are timed.
function read_header(line,    n, i, cell, found) {
    n = split(line, cell, /[|,]/)
    for (i = 1; n > 1 && i <= n; i++)
        found += is_unit(cell[i])
    if (!found)
        return 0
    columns = n
    for (i = 1; i <= n; i++)
        timed[i] = is_unit(cell[i])
    return 1
}

function strip_columns(line,    n, i, cell, out) {
    n = split(line, cell, /[|,]/)
    if (n != columns)
        return line
    for (i = 1; i <= n; i++)
        out = out (timed[i] ? "#" : cell[i]) ","
    return out
}

# a, b: words, compared number by number. Two numbers are the same if they are
# the same text or, one of them in scientific notation, of the same size.
function same_word(a, b,    number, before, x, y) {
    number = "-?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?"
    while (a != b) {
        if (!match(a, number))
            return 0
        before = substr(a, 1, RSTART - 1)
        x = substr(a, RSTART, RLENGTH)
        a = substr(a, RSTART + RLENGTH)
        if (!match(b, number) || substr(b, 1, RSTART - 1) != before)
            return 0
        y = substr(b, RSTART, RLENGTH)
        b = substr(b, RSTART + RLENGTH)
        if (!same_number(x, y))
            return 0
    }
    return 1
}

function same_number(x, y) {
    if (x == y)
        return 1
    if (x !~ /e/ && y !~ /e/)
        return 0
    x += 0
    y += 0
    if (x == 0 || y == 0)
        return x < 1.2e-7 && y < 1.2e-7 && x > -1.2e-7 && y > -1.2e-7
    return x / y <= 2 && x / y >= 0.5
}

function same_line(a, b,    words_a, words_b, n, i) {
    if (a == b)
        return 1
    n = split(normal(a), words_a, " ")
    if (split(normal(b), words_b, " ") != n)
        return 0
    for (i = 1; i <= n; i++)
        if (!same_word(words_a[i], words_b[i]))
            return 0
    return 1
}

function differ(line, was, is) {
    print page ":" line ": is not what weaving gives"
    print "  page: " was
    print "  now:  " is
    different++
}

END {
    i = j = 1
    while (i <= n_old && j <= n_new) {
        if (old[i] != new[j])
            differ(i, old[i], new[j])
        if (old[i] !~ /^<!-- weave .* -->$/) {
            i++
            j++
            continue
        }
        # A block: its lines up to the end, in both.
        first = ++i
        start = ++j
        measured = 0
        for (; i <= n_old && old[i] != "<!-- end -->"; i++)
            measured += is_measured(old[i])
        for (; j <= n_new && new[j] != "<!-- end -->"; j++)
            measured += is_measured(new[j])
        columns = -1
        lines = i - first > j - start ? i - first : j - start
        for (k = 0; k < lines; k++) {
            was = first + k < i ? old[first + k] : "(no such line)"
            is = start + k < j ? new[start + k] : "(no such line)"
            if (read_header(was) && was == is)
                continue
            if (was == is || (measured && same_line(was, is)))
                continue
            differ(first + k, was, is)
            if (i - first != j - start)
                break # one line more or less: the rest follows from it
        }
    }
    exit different > 0
}
