# pipeline.awk: draws docs/plots/pipeline.svg, the copies, products and softmaxes of rung
# 10 over time, from the emulator's log build/lab/pipeline.tsv. Time goes down.
#
# The emulator records the order of events, but no time. This script assumes that each
# unit does one operation at a time, with the clocks of docs/hopper.md. At d = 128 a
# product of 64 queries with 176 keys takes 704 clocks; a softmax also takes 704. The same
# time is assumed for each copy.

BEGIN {
    FS = "\t"
    CLOCKS = 704
    HEIGHT = 30 # pixels for 704 clocks
    split("8,126,246,366", left, ",") # of each unit
    WIDTH = 104
    COPY = 72 # the width of a copy
    colour[1] = "#0072B2"
    colour[2] = "#D55E00"
    split("copies,tensor cores,softmax 1,softmax 2", name, ",")
}

function y(clock) {
    return 32 + clock * HEIGHT / CLOCKS
}

function text(x, at, words, more) {
    body = body sprintf("<text x=\"%d\" y=\"%.1f\"%s>%s</text>\n", x, at, more,
                        words)
}

# Draws an operation that begins when the unit is free and `ready` has passed. Returns
# the clock of its beginning.
function use(unit, column, ready, fill, words,    from, width) {
    width = column == 1 ? COPY : WIDTH
    from = free[unit] > ready ? free[unit] : ready
    free[unit] = from + CLOCKS
    end = free[unit] > end ? free[unit] : end
    body = body sprintf("<rect x=\"%d\" y=\"%.1f\" width=\"%d\" " \
        "height=\"%d\" fill=\"%s\" stroke=\"#ffffff\"/>\n", left[column],
        y(from), width, HEIGHT, fill)
    text(left[column] + width / 2, y(from) + 20, words,
         " text-anchor=\"middle\" fill=\"#ffffff\"")
    return from
}

# Draws a line between the copies and the tensor cores.
function line(copy, product, dashes) {
    body = body sprintf("<path d=\"M%d %.1fL%d %.1f\" stroke=\"#333333\"%s/>\n",
        left[1] + COPY, y(copy), left[2], y(product), dashes ? " stroke-dasharray=\"3 3\"" : "")
}

{
    g = $1
    t[g] += 0 # gawk 5.2.1 crashes if an unset element is passed as `ready`
    which = substr($3, 4, 1) # Q, K or V
    if (pending[g] && $2 != "arrive") {
        t[g] = CLOCKS + use("exponentials", g + 2, t[g], colour[g],
                            ++softmaxes[g])
        pending[g] = 0
    }
}
$2 == "load" {
    from = use("memory", 1, t[g], "#666666", which (which == "Q" ? "" : \
        ++copies[which]))
    done[$4] = from + CLOCKS
    if (empty)
        line(from, empty, 1)
    empty = 0
}
$2 == "wait" && $4 in done {
    t[g] = done[$4] > t[g] ? done[$4] : t[g]
    if (g)
        full[which] = done[$4]
    else
        empty = done[$4]
}
$2 == "arrive" { # a stage is free when both consumers have arrived
    at[$4] = at[$4] > t[g] ? at[$4] : t[g]
    if (++came[$4] % 2 == 0)
        done[$4] = at[$4]
}
$2 == "give" {
    gave[$4] = t[g]
}
$2 == "turn" && gave[$4] > t[g] {
    t[g] = gave[$4]
}
$2 ~ /scores|output/ {
    which = $2 == "scores" ? "K" : "V"
    from = use("tensor cores", 2, t[g], colour[g],
               ($2 == "scores" ? "Q K" : "P V") ++products[g, which])
    if (g == 1)
        line(full[which], from, 0)
    kind[g, ++last[g]] = which
    ends[g, last[g]] = from + CLOCKS
}
$2 == "done" {
    while (first[g] < last[g] - $4) {
        first[g]++
        if (ends[g, first[g]] > t[g])
            t[g] = ends[g, first[g]]
        if (kind[g, first[g]] == "K")
            pending[g] = 1
    }
}

END {
    for (r = 1; r <= 4; r++)
        text(left[r], 20, name[r], "")
    split("Solid: a copy is full. Dashed: both consumers have released|" \
        "its place. Order: from the emulator. Each box: 704 clocks,|" \
        "calculated or assumed, not measured.", note, "|")
    for (r = 1; r <= 3; r++)
        text(8, y(end) + 6 + 20 * r, note[r], "")
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 480 %d\" " \
        "role=\"img\" aria-label=\"Rung 10 over time\" " \
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"15\">\n" \
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n%s</svg>\n",
        y(end) + 76, body
}
