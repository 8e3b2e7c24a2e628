# awk -v page=NAME -f tools/same_page.awk COMMITTED WOVEN
#
# Compares the woven blocks of a page with what weaving gives now; exit 1 and
# page, line, old and new if they differ. In a block with measured figures
#
#   - a number with a unit of time or rate behind it (3.1 ms, 12 GB/s, 84% of
#     peak, 1.9 times faster) may be any other, of another length
#   - a number in scientific notation (1.2e-07) may be up to twice or half;
#     0 and anything below fp32's epsilon are the same
#
# Column widths depend on both, so blanks and dashes count there only as one.
# All else, and every other block, must be equal to the letter.

FNR == NR { old[++n_old] = $0; next }
{ new[++n_new] = $0 }

function is_measured(line) {
    return strip_times(line) != line || line ~ /[0-9]e[-+]?[0-9]/
}

# Each time or rate, with the blanks around it, becomes #.
function strip_times(line,    out, at, before, after, word) {
    out = ""
    while (match(line, /[0-9][0-9.,]*(e[-+]?[0-9]+)?[^ ]? ?((ns|us|ms|s|min|h|[A-Za-z]+\/s)|%[a-z ]*(peak|bandwidth|bound)|(x|times) (as fast|faster))/)) {
        at = RSTART
        word = substr(line, at, RLENGTH)
        before = at > 1 ? substr(line, at - 1, 1) : " "
        after = substr(line, at + RLENGTH, 1)
        # A unit is a whole word, and so is its number.
        if (after ~ /[A-Za-z0-9_\/-]/ || before ~ /[A-Za-z0-9_]/ ||
            word !~ /^[0-9][0-9.,]*(e[-+]?[0-9]+)?(µ|\302\265)? ?[%a-zA-Z]/) {
            match(word, /^[0-9.,]+/)
            out = out substr(line, 1, at + RLENGTH - 1)
            line = substr(line, at + RLENGTH)
            continue
        }
        before = substr(line, 1, at - 1)
        sub(/ +$/, "", before)
        out = out before "#"
        line = substr(line, at + length(word))
        sub(/^ +/, "", line)
    }
    return out line
}

function normal(line) {
    line = strip_times(line)
    gsub(/--+/, "-", line)
    gsub(/ +/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    gsub(/ ?[|] ?/, " | ", line)
    return line
}

# a, b: words. Equal, or numbers in scientific notation of the same size.
function same_word(a, b,    a_at, a_length, x, y) {
    if (a == b)
        return 1
    if (a !~ /[0-9]e[-+]?[0-9]/ && b !~ /[0-9]e[-+]?[0-9]/)
        return 0
    if (!match(a, /-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/))
        return 0
    a_at = RSTART
    a_length = RLENGTH
    if (!match(b, /-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/))
        return 0
    x = substr(a, a_at, a_length) + 0
    y = substr(b, RSTART, RLENGTH) + 0
    if (substr(a, 1, a_at - 1) != substr(b, 1, RSTART - 1))
        return 0
    if (!same_rest(substr(a, a_at + a_length), substr(b, RSTART + RLENGTH)))
        return 0
    if (x == 0 || y == 0)
        return x < 1.2e-7 && y < 1.2e-7 && x > -1.2e-7 && y > -1.2e-7
    return x / y <= 2 && x / y >= 0.5
}

# What follows a number in a word may hold another: 1.2e-07,3.4e-07
function same_rest(a, b) {
    return a == b || same_word(a, b)
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
        lines = i - first > j - start ? i - first : j - start
        for (k = 0; k < lines; k++) {
            was = first + k < i ? old[first + k] : "(no such line)"
            is = start + k < j ? new[start + k] : "(no such line)"
            if (was == is || (measured && same_line(was, is)))
                continue
            differ(first + k, was, is)
            if (i - first != j - start)
                break # one line more or less: the rest follows from it
        }
    }
    exit different > 0
}
