# pipeline.awk: draws docs/plots/pipeline.svg, the copies, products and softmaxes of rung
# 10 over time, from the emulator's log build/lab/pipeline.tsv.
#
# The emulator records the order of events, but no time. This script assumes that each
# unit does one operation at a time, with the clocks of docs/hopper.md. At d = 128 a
# product of 64 queries with 176 keys takes 704 clocks; a softmax also takes 704. The same
# time is assumed for each copy.

BEGIN {
    FS = "\t"
    CLOCKS = 704
    WIDTH = 48 # pixels for 704 clocks
    ROW = 46
    colour[1] = "#0072B2"
    colour[2] = "#D55E00"
    split("copies (TMA),tensor cores,softmax: consumer 1,softmax: consumer 2",
          name, ",")
}

function x(clock) {
    return 130 + clock * WIDTH / CLOCKS
}

function text(at, y, words, more) {
    body = body sprintf("<text x=\"%.1f\" y=\"%d\"%s>%s</text>\n", at, y, more,
                        words)
}

# Draws an operation that begins when the unit is free and `ready` has passed. Returns
# the clock of its beginning.
function use(unit, row, ready, fill, words,    from) {
    from = free[unit] > ready ? free[unit] : ready
    free[unit] = from + CLOCKS
    end = free[unit] > end ? free[unit] : end
    body = body sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%d\" " \
        "height=\"24\" fill=\"%s\" stroke=\"#ffffff\"/>\n", x(from),
        row * ROW + 8, WIDTH, fill)
    text(x(from) + WIDTH / 2, row * ROW + 24, words,
         " text-anchor=\"middle\" fill=\"#ffffff\"")
    return from
}

function line(from, y1, to, y2, dashes) {
    body = body sprintf("<path d=\"M%.1f %dL%.1f %d\" stroke=\"#333333\"%s/>\n",
        x(from), y1, x(to), y2, dashes ? " stroke-dasharray=\"3 3\"" : "")
}

{
    g = $1
    t[g] += 0 # gawk 5.2.1 crashes if an unset element is passed as `ready`
    which = substr($3, 4, 1) # Q, K or V
    if (pending[g] && $2 != "arrive") {
        t[g] = CLOCKS + use("exponentials", g + 1, t[g], colour[g],
                            ++softmaxes[g])
        pending[g] = 0
    }
}
$2 == "load" {
    from = use("memory", 0, t[g], "#666666", which (which == "Q" ? "" : \
        ++copies[which]))
    done[$4] = from + CLOCKS
    if (empty)
        line(empty, ROW + 8, from, 32, 1)
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
    from = use("tensor cores", 1, t[g], colour[g],
               ($2 == "scores" ? "Q K" : "P V") ++products[g, which])
    if (g == 1)
        line(full[which], 32, from, ROW + 8)
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
        text(4, (r - 1) * ROW + 24, name[r], "")
    text(4, 4 * ROW + 14, "Solid: a copy is full. Dashed: both consumers " \
        "have released its place. Order: from the emulator. Each box: 704 " \
        "clocks, calculated or assumed, not measured.", "")
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" " \
        "width=\"%d\" height=\"%d\" role=\"img\" " \
        "aria-label=\"Rung 10 over time\" " \
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n" \
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n%s</svg>\n",
        x(end) + 10, 4 * ROW + 24, x(end) + 10, 4 * ROW + 24, body
}
