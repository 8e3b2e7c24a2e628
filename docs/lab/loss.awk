# loss.awk: prints gnuplot's commands for a picture of errors, from the output of `flash
# precision --csv` with tabs. There is a panel for each kind of rows, and a line for each
# step and type. Each line ends in its name. If all steps of a panel have nearly the same
# error in a type, one line shows them.
#
#   x      the column of the x axis: 2 (deviation of the scores), 5 (N) or 7 (Bc)
#   over   a step: errors are divided by this step's error
#   height of a panel, in pixels
#   dumb   1 to draw with characters
#
# The columns are what,rows,type,step,N,d,Bc,repetitions,seed,error,largest. Lines whose
# error is 0, NaN or infinite are left out.

BEGIN {
    FS = "\t"
}

$1 != "what" {
    what = $1
}

$10 + 0 > 0 && $10 !~ /[nN]/ {
    line[++lines] = $0
    lengths += !seen["N", $5]++
    tiles += !seen["Bc", $7]++
    columns += !seen["d", $6]++
    types += !seen["type", $3]++
    if ($4 == over)
        base[$2, $5] = $10
}

# Returns the number of the text in the list, counted from 1. Adds it if it is new.
function place(list, text) {
    if (!((list, text) in number)) {
        number[list, text] = ++size[list]
        gsub(/["'\\]/, "", text)
        word[list, size[list]] = text
    }
    return number[list, text]
}

# Returns the rows as words: "normal:0.25" as "normal, sigma 0.25".
function title(rows) {
    if (x == 2)
        return ""
    if (sub(/^file:/, "", rows))
        sub(/.*\//, "", rows)
    sub(/^uniform:/, "uniform, up to ±", rows)
    if (rows ~ /^[a-z]*:/)
        sub(/:/, ", sigma ", rows)
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

# Prints labels of x, from the largest value down. The axis has room for five.
function print_tics(    value, last, next_one, gap) {
    gap = (highest / lowest) ^ (1 / 5)
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

function log10(y) {
    return log(y) / log(10)
}

# True if all steps of the panel have nearly the same errors in the type.
function agree(p, t,    g, k, first, n) {
    for (g = 1; g <= size["curves"]; g++) {
        if (!points[p, g, t])
            continue
        first = first ? first : g
        n++
        if (points[p, g, t] != points[p, first, t])
            return 0
        for (k = 1; k <= points[p, g, t]; k++)
            if (y[p, g, t, k] > 1.25 * y[p, first, t, k] ||
                1.25 * y[p, g, t, k] < y[p, first, t, k])
                return 0
    }
    return n > 2 ? first : 0
}

# Returns the commands that draw the panel.
function panel(p,    g, t, k, n, text, all, name, colour, h, best, where, gap) {
    for (t = 1; t <= size["types"]; t++) {
        all = dumb ? 0 : agree(p, t)
        for (g = 1; g <= size["curves"]; g++) {
            if (!(k = points[p, g, t]) || all && g != all)
                continue
            name[++n] = (all ? "all steps" : word["curves", g]) \
                (types > 1 ? ", " word["types", t] : "")
            h[n] = log10(y[p, g, t, k])
            colour[n] = all ? 8 : (g - 1) % 5 + 1
            text = text (n > 1 ? ", " : "plot ") "$errors index " block[p, g, t] \
                (dumb ? " with points pt " n : " smooth unique with linespoints ls " colour[n] " dt " t \
                    " lw 1.5 pt " (all ? 0 : 2 * g + 3) " ps 0.7") " title \"" (dumb ? name[n] : "") "\""
        }
    }
    # The lowest label goes to the end of its line, others at least `gap` above the last.
    gap = 19 / (height - 115) * (high - low)
    where = low - 1
    for (k = n; k > 0 && !dumb; k--) {
        best = 0
        for (g = 1; g <= n; g++)
            if (!done[p, g] && (!best || h[g] < h[best]))
                best = g
        done[p, best] = 1
        where = h[best] > where + gap ? h[best] : where + gap
        if (where > high - (k - 1) * gap)
            where = high - (k - 1) * gap
        text = sprintf("set label %d \"%s\" at graph 1.03, first %.4g tc ls %d noenhanced; ",
            best, name[best], 10 ^ where, colour[best]) text
    }
    return sprintf("set title \"%s%s\" noenhanced; unset label; ", word["panels", p],
        types > 1 || x == 2 || over ? "" : ", " word["types", 1]) text
}

END {
    if (!lines) {
        print "exit error '" what ": all errors are 0, NaN or infinite'"
        exit
    }
    x = x ? x : lengths > 1 || tiles == 1 ? 5 : 7
    low = 99
    high = -99
    for (k = 1; k <= lines; k++) {
        split(line[k], f)
        name_ = f[4] (x == 5 && tiles > 1 ? ", Bc " f[7] : "") (columns > 1 ? ", d " f[6] : "")
        if (x == 2 && f[2] ~ /^unscaled/)
            name_ = name_ ", unscaled"
        if (x == 2)
            sub(/_attention/, "", name_)
        p = place("panels", title(f[2]))
        g = place("curves", name_)
        t = place("types", f[3])
        if (x == 2)
            sub(/.*:/, "", f[2])
        f[x] += 0
        error = over ? f[10] / base[f[2], f[5]] : f[10]
        y[p, g, t, ++points[p, g, t]] = error
        data[p, g, t] = data[p, g, t] f[x] "\t" error "\n"
        at[f[x]]
        if (k == 1)
            highest = lowest = f[x]
        highest = f[x] > highest ? f[x] : highest
        lowest = f[x] < lowest ? f[x] : lowest
        low = log10(error) < low ? log10(error) : low
        high = log10(error) > high ? log10(error) : high
    }
    print_tics()
    low = int(low + 100) - 100
    high = int(high + 101) - 100
    printf "set xrange [%s:%s]\nset yrange [1e%d:1e%d]\nset ytics auto\n", lowest / 1.3,
        highest * 1.3, low, high
    if (high == low + 1)
        printf "set format y '%%.0te%%T'\nset ytics add (2e%d, 5e%d)\n", low, low
    print "set xlabel '" (x == 2 ? "standard deviation of the scores" : \
        x == 7 ? "keys of a tile, Bc" : what == "softmax" ? "scores in the row, n" : \
        "keys, N") (dumb ? " (a letter hides earlier ones)" : "") "'"
    # gnuplot selects a block by its index.
    print "$errors << EOD"
    for (p = 1; p <= size["panels"]; p++)
        for (g = 1; g <= size["curves"]; g++)
            for (t = 1; t <= size["types"]; t++)
                if (points[p, g, t]) {
                    printf "%s\n\n", data[p, g, t]
                    block[p, g, t] = blocks++ + 0
                }
    print "EOD"
    print "P = " size["panels"]
    print "keys = " size["curves"] * size["types"]
    for (p = 1; p <= size["panels"]; p++)
        print "panel_" p " = '" panel(p) "'"
}
