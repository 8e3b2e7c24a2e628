# race.awk: draws docs/plots/race.svg from build/lab/race.tsv. The picture is an animation
# of three steps side by side, with the bytes that each step has moved so far.
#
#     awk -f docs/lab/race.awk build/lab/race.tsv > docs/plots/race.svg
#
# The arrays have their true proportions. The animation is in the SVG's style sheet, so
# that it also runs in an <img>. Without style sheets, or if the reader has turned motion
# off, the picture shows the last frame. README.md contains the picture.

BEGIN {
    FS = "\t"
    FRAMES = 100 # frames of standard attention
    RATE = 10 # frames per second
    HOLD = 30 # frames that show the end
    SCALE = 0.6 # pixels per row and per column
    WIDTH = 300
    TOP = 74
    name["standard_attention"] = "standard attention"
    name["flash1"] = "FlashAttention"
    name["flash2"] = "FlashAttention-2"
    colour["read"] = "#0072B2"
    colour["written"] = "#D55E00"
}

$2 == "tiles" {
    order[++steps] = $1
    N = $5
    d = $6
    M = $7
}
$2 ~ /^(read|written)$/ {
    move[++moves] = $0
    total[$1] = $6
}

# In each frame a step moves 1/100 of standard attention's bytes. In frame f, step s reads
# or writes (how) rows of array a. first[s, f, a, how] is the first of them, and
# rows[s, f, a, how] the size of their range.
function frame_by_frame(    n, s, a, f, how, from, end) {
    for (n = 1; n <= moves; n++) {
        split(move[n], m)
        s = m[1]
        how = m[2]
        a = m[3]
        f = int(m[6] / total[order[1]] * FRAMES)
        f += f < m[6] / total[order[1]] * FRAMES
        while (last[s] < f) {
            last[s]++
            bytes[s, last[s]] = bytes[s, last[s] - 1] + 0
        }
        bytes[s, f] = m[6]
        used[s, a] = 1
        from = (s, f, a, how) in first ? first[s, f, a, how] : N
        end = from == N ? 0 : from + rows[s, f, a, how]
        from = m[4] < from ? m[4] + 0 : from
        end = m[4] + m[5] > end ? m[4] + m[5] : end
        first[s, f, a, how] = from
        rows[s, f, a, how] = end - from
    }
}

function when(f) {
    return sprintf("%.2f%%", 100 * (f - 1) / (last[order[1]] + HOLD))
}

# Adds a key frame if the element's style changes at frame f.
function key(f, css) {
    if (css == before)
        return
    before = css
    keys = keys when(f) "{" css "}\n"
}

# Adds the key frames as the animation of element id, and clears them. The last key frame
# must have the style of the element without the animation.
function animated(id) {
    styles = styles "@keyframes " id "{\n" keys "}\n#" id \
        "{animation:" id " " (last[order[1]] + HOLD) / RATE \
        "s step-end}\n"
    keys = before = ""
}

function rect(id, x, y, w, h, more) {
    body = body sprintf("<rect%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" " \
        "height=\"%.1f\" %s/>\n", id ? " id=\"" id "\"" : "", x, y, w, h, more)
}

function text(x, y, css, words) {
    body = body sprintf("<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n",
        x, y, css, words)
}

function kilobytes(b) {
    return sprintf("%.0f kB", b / 1000)
}

function draw_touched(s, a, x, columns, how,    f, id) {
    id = s a how
    for (f = 1; f <= last[s]; f++)
        key(f, (s, f, a, how) in rows ? sprintf("opacity:1;transform:" \
            "translateY(%.1fpx) scaleY(%.4f)", first[s, f, a, how] * SCALE,
            rows[s, f, a, how] / N) : "opacity:0")
    key(last[s] + 1, "opacity:0")
    rect(id, x, 0, columns * SCALE, N * SCALE, \
        "opacity=\"0\" fill=\"" colour[how] "\"")
    animated(id)
}

# Draws an array of N rows in HBM. Highlights the rows that each frame reads or writes.
function draw_array(s, a, x, columns,    f, end, most) {
    text(x + columns * SCALE / 2, -7, "middle", a)
    rect("", x, 0, columns * SCALE, N * SCALE, "fill=\"" \
        (a == "S" && !((s, a) in used) ? "none\" stroke-dasharray=\"3 4" : \
        a ~ /[QKV]/ ? "#dceaf4" : "#ffffff") "\" stroke=\"#888888\"")
    if (!((s, a) in used))
        return
    if (a ~ /[SO]/) {
        for (f = 1; f <= last[s]; f++) {
            end = first[s, f, a, "written"] + rows[s, f, a, "written"]
            most = end > most ? end : most
            key(f, sprintf("transform:scaleY(%.4f)", most / N))
        }
        key(last[s] + 1, "transform:scaleY(1)")
        rect(s a, x, 0, columns * SCALE, N * SCALE, "fill=\"#f8dcc8\"")
        animated(s a)
    }
    draw_touched(s, a, x, columns, "read")
    draw_touched(s, a, x, columns, "written")
}

# Draws the tile of S that is on chip, for the queries and keys that were loaded last.
function draw_tile(s, x,    f, i, j, br, bc) {
    for (f = 1; f <= last[s]; f++) {
        if ((s, f, "Q", "read") in rows) {
            i = first[s, f, "Q", "read"]
            br = rows[s, f, "Q", "read"]
        }
        if ((s, f, "K", "read") in rows) {
            j = first[s, f, "K", "read"]
            bc = rows[s, f, "K", "read"]
        }
        if (br && bc)
            key(f, sprintf("opacity:1;transform:translate(%.1fpx,%.1fpx) " \
                "scale(%.4f,%.4f)", x + j * SCALE, i * SCALE, bc / N,
                br / N))
        else
            key(f, "opacity:0")
    }
    key(last[s] + 1, "opacity:0")
    rect(s "tile", 0, 0, N * SCALE, N * SCALE, "opacity=\"0\" fill=\"#009E73\"")
    animated(s "tile")
}

function draw_step(n,    s, x, f, y, share) {
    s = order[n]
    body = body sprintf("<g transform=\"translate(%d,%d)\">\n",
        (n - 1) * WIDTH + 16, TOP)
    text(0, -34, "name", name[s])
    x = 0
    draw_array(s, "Q", x, d)
    draw_array(s, "K", x += (d + 8) * SCALE, d)
    draw_array(s, "V", x += (d + 8) * SCALE, d)
    draw_array(s, "S", x += (d + 8) * SCALE, N)
    if (!((s, "S") in used))
        draw_tile(s, x)
    draw_array(s, "O", x += (N + 8) * SCALE, d)

    share = total[s] / total[order[1]]
    y = N * SCALE + 16
    rect("", 0, y, 246, 12, "fill=\"#eeeeee\"")
    for (f = 1; f <= last[s] + 1; f++)
        key(f, sprintf("transform:scaleX(%.4f)",
            bytes[s, f - 1] / total[s]))
    rect(s "bar", 0, y, 246 * share, 12, "fill=\"#0072B2\"")
    animated(s "bar")

    # The number of bytes is a column of texts, one per frame. The inner svg shows one.
    body = body sprintf("<svg x=\"0\" y=\"%.1f\" width=\"246\" height=\"30\">" \
        "<g id=\"%scount\" transform=\"translate(0,%d)\">\n", y + 14, s,
        -30 * last[s])
    for (f = 0; f <= last[s]; f++) {
        # The bytes include m, l and L, for which no array is drawn.
        text(0, 30 * f + 21, "count", kilobytes(bytes[s, f]))
        if (f == last[s])
            text(246, 30 * f + 21, "end", sprintf("%.2f of %s", share,
                kilobytes(total[order[1]])))
        key(f + 1, sprintf("transform:translateY(%dpx)", -30 * f))
    }
    body = body "</g></svg>\n"
    animated(s "count")
    body = body "</g>\n"
}

END {
    frame_by_frame()
    for (n = 1; n <= steps; n++)
        draw_step(n)
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d 310\" " \
        "width=\"%d\" height=\"310\" role=\"img\" " \
        "aria-labelledby=\"title what\">\n", steps * WIDTH - 16, \
        steps * WIDTH - 16
    print "<title id=\"title\">The same attention, at the same memory speed" \
        "</title>"
    printf "<desc id=\"what\">One head, N = %d, d = %d, M = %d numbers on " \
        "chip. Bytes moved through HBM:", N, d, M
    for (n = 1; n <= steps; n++)
        printf " %s %d%s", name[order[n]], total[order[n]], n < steps ? "," : \
            ".</desc>\n"
    print "<style>\ntext{font:14px Helvetica,Arial,sans-serif;fill:#333333}"
    print ".name{font-size:17px;font-weight:bold}.middle{text-anchor:middle}"
    print ".count{font-size:19px;font-weight:bold}.end{text-anchor:end}"
    print styles "@media (prefers-reduced-motion:reduce){*{animation:none" \
        "!important}}\n</style>"
    printf "<rect width=\"%d\" height=\"310\" fill=\"#ffffff\"/>\n", \
        steps * WIDTH - 16
    body = body sprintf("<g transform=\"translate(16,300)\">" \
        "<text>In HBM: <tspan fill=\"%s\">read</tspan>, <tspan fill=\"%s\">" \
        "written</tspan>. Only on chip: <tspan fill=\"#007a5a\">a tile of S" \
        "</tspan>. N = %d, d = %d; three programs, the same bytes per " \
        "second.</text></g>\n", colour["read"], colour["written"], N, d)
    printf "%s</svg>\n", body
}
