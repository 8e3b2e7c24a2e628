# sweeps.awk: draws docs/plots/sweeps.svg: three passes over a row become two, and two
# become one. sweeps_02, _03 and _04 are the same picture, with a mark at the steps of
# that chapter. README.md and docs/derivation.md show the first picture.
#
#     awk -v more=docs/plots/sweeps -f docs/lab/sweeps.awk >docs/plots/sweeps.svg
#
# A cell is a key, and a line of cells is one pass over all keys. The cells are filled
# one after the other, once; without style sheets, and if the reader has turned motion
# off, all are filled.

BEGIN {
    CELL = 17 # pixels
    CELLS = 8
    PANEL = 232 # the width of a column
    SECONDS = 1.6 # of one pass
    split("02 03 04", chapters, " ")
    picture("/dev/stdout", "")
    for (c = 1; c in chapters; c++)
        picture(more "_" chapters[c] ".svg", chapters[c])
    exit
}

function text(x, y, class, words) {
    body = body sprintf("<text x='%d' y='%d'%s>%s</text>\n", x, y, \
        class == "" ? "" : " class='" class "'", words)
}

# Draws one pass: its cells, and what it computes. `nth` passes of the panel are before.
function pass(x, y, nth, what,    k) {
    for (k = 0; k < CELLS; k++)
        body = body sprintf("<rect x='%d' y='%d' width='%d' height='%d'" \
            " style='animation-delay:%.1fs'/>\n", x + k * CELL, y, CELL - 2, CELL - 2, \
            (nth + k / CELLS) * SECONDS)
    text(x + CELLS * CELL + 5, y + 13, "", what)
}

# The update of `name`: the old value, the factor that rescales it, and what is new.
function update(name, new) {
    return "new " name " = <tspan class='old'>old</tspan> · " \
        "<tspan class='factor'>factor</tspan> + <tspan class='new'>" new "</tspan>"
}

function mark(x, y, height) {
    body = body sprintf("<path class='here' d='M%d %dh%dv%dh-%dz'/>\n", x - 6, y + 5, \
        PANEL - 6, height, PANEL - 6)
    text(x + 124, y, "here", "you are here")
}

function band(y, name, step_softmax, step_attention) {
    body = body sprintf("<path class='rule' d='M8 %dh%d'/>\n", y - 16, 2 * PANEL)
    text(8, y, "title", name)
    if (step_softmax != "")
        text(8, y + 18, "step", step_softmax)
    text(8 + PANEL, y + 18, "step", step_attention)
}

function picture(file, chapter,    x, y, a, k, softmax, attention) {
    body = ""
    x = 8
    a = x + PANEL
    text(x, 22, "head", "softmax of a row")
    text(a, 22, "head", "attention of a query")

    y = 58
    band(y, "three passes", "02 safe_softmax", "04 three_pass_attention")
    split("max m|sum l|the weights", softmax, "|")
    split("max m|sum l|output o", attention, "|")
    for (k = 1; k <= 3; k++) {
        pass(x, y + 28 + 26 * (k - 1), k - 1, softmax[k])
        pass(a, y + 28 + 26 * (k - 1), k - 1, attention[k])
    }
    if (chapter == "02")
        mark(x, y, 102)
    if (chapter == "04")
        mark(a, y, 102)

    y = 196
    band(y, "two passes", "03 online_softmax", "04 two_pass_attention")
    pass(x, y + 28, 0, "m and l")
    pass(a, y + 28, 0, "m and l")
    text(x, y + 62, "", update("l", "e^(x − m)"))
    text(a, y + 62, "", update("l", "e^(x − m)"))
    pass(x, y + 74, 1, "the weights")
    pass(a, y + 74, 1, "output o")
    if (chapter == "03")
        mark(x, y, 92)
    if (chapter == "04")
        mark(a, y, 92)

    y = 322
    band(y, "one pass", "", "04 one_pass_attention")
    text(x, y + 40, "", "Softmax cannot: each of")
    text(x, y + 58, "", "its N weights waits for l.")
    pass(a, y + 28, 0, "m, l and o")
    text(a, y + 62, "", update("o", "weight · v"))
    text(a, y + 84, "step", "05, 06: the same by tiles")
    if (chapter == "04")
        mark(a, y, 86)

    printf "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 480 424'" \
        " font-family='sans-serif' font-size='13'>\n" \
        "<title>Three passes over a row become two; for attention, two become one." \
        "</title>\n<style>\n" \
        "rect{fill:#0072B2;animation:fill 0.1s backwards}\n" \
        "@keyframes fill{from{fill:#dde3e8}}\n" \
        "@media (prefers-reduced-motion:reduce){rect{animation:none}}\n" \
        ".head{font-size:16px;font-weight:bold}\n" \
        ".title{font-size:15px;font-weight:bold}\n" \
        ".step{font-family:monospace;font-size:12px;fill:#444}\n" \
        ".old{fill:#0072B2;text-decoration:underline}\n" \
        ".factor{fill:#B34700;font-weight:bold}\n" \
        ".new{fill:#00734F;font-style:italic}\n" \
        ".rule{stroke:#ccc}\n" \
        ".here{fill:none;stroke:#B34700;stroke-width:2;stroke-dasharray:6 3}\n" \
        "text.here{stroke:none;fill:#B34700;font-weight:bold}\n" \
        "</style>\n<rect width='480' height='424' style='fill:#fff;animation:none'/>\n" \
        "%s</svg>\n", body >file
    close(file)
}
