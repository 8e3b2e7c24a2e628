# cuda.awk: draws two pictures of docs/cuda_in_one_page.md: docs/plots/cuda.svg, the grid,
# a block, a warp and a lane on the scores S, and cuda_shuffle.svg, a butterfly shuffle.
#
#     awk -v more=docs/plots/cuda -f docs/lab/cuda.awk >docs/plots/cuda.svg

function text(x, y, class, words) {
    body = body sprintf("<text x='%d' y='%d'%s>%s</text>\n", x, y, \
        class == "" ? "" : " class='" class "'", words)
}

function box(x, y, width, height, class) {
    body = body sprintf("<rect x='%d' y='%d' width='%d' height='%d'%s/>\n", \
        x, y, width, height, class == "" ? "" : " class='" class "'")
}

function line(x1, y1, x2, y2) {
    body = body sprintf("<path d='M%d %dL%d %d'/>\n", x1, y1, x2, y2)
}

# Prints the picture of the given height to the file.
function picture(file, height, title) {
    printf "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 480 %d'" \
        " font-family='sans-serif' font-size='15'>\n<title>%s</title>\n<style>\n" \
        "rect{stroke:#666;fill:#fff}\n" \
        ".head{font-weight:bold}\n" \
        ".mid{text-anchor:middle}\n" \
        ".block{fill:#f7dcae}\n" \
        ".warp{fill:#cfe5f4}\n" \
        ".lane{fill:#56B4E9}\n" \
        "path{stroke:#666}\n" \
        "</style>\n<rect width='480' height='%d' style='stroke:none'/>\n%s</svg>\n", \
        height, title, height, body >file
    close(file)
    body = ""
}

# A block has 64 queries, a warp 16; in 16 rows and 8 columns a lane has two pairs.
function levels(    k, r, c, lane) {
    text(8, 22, "head", "grid: all of S")
    for (k = 0; k < 4; k++) {
        box(8, 32 + 36 * k, 144, 36, k == 1 ? "block" : "")
        text(80, 55 + 36 * k, "mid", "block " k)
    }
    text(8, 206, "head", "block: a tile of S")
    for (k = 0; k < 4; k++) {
        box(8, 216 + 36 * k, 144, 36, k == 2 ? "warp" : "block")
        text(80, 239 + 36 * k, "mid", "warp " k)
    }
    text(200, 22, "head", "warp: the lane of each score")
    for (r = 0; r < 16; r++)
        for (c = 0; c < 8; c++) {
            lane = r % 8 * 4 + int(c / 2)
            box(200 + 33 * c, 32 + 20 * r, 33, 20, lane == 13 ? "lane" : "warp")
            text(216 + 33 * c, 48 + 20 * r, "mid", lane)
        }
    picture("/dev/stdout", 372, "The grid, a block, a warp and a lane on the scores S.")
}

# Each lane begins with its number, and adds the x of lane XOR `other`.
function shuffle(    lane, step, other, x, was, from, y) {
    for (lane = 0; lane < 8; lane++)
        x[lane] = lane
    text(8, 22, "head", "lane")
    for (lane = 0; lane < 8; lane++)
        text(112 + 48 * lane, 22, "mid", lane)
    for (step = 0; step < 4; step++) {
        other = step ? 2 ^ (step - 1) : 0
        y = 34 + 68 * step
        text(8, y + 20, "", step ? "other " other : "at first")
        for (lane = 0; lane < 8; lane++)
            was[lane] = x[lane]
        for (lane = 0; lane < 8; lane++) {
            if (step) {
                from = int(lane / other) % 2 ? lane - other : lane + other
                x[lane] = was[lane] + was[from]
                line(112 + 48 * from, y - 38, 112 + 48 * lane, y)
                line(112 + 48 * lane, y - 38, 112 + 48 * lane, y)
            }
            box(94 + 48 * lane, y, 36, 30, step == 3 ? "lane" : "warp")
            text(112 + 48 * lane, y + 20, "mid", x[lane])
        }
    }
    picture(more "_shuffle.svg", 276, "A butterfly: three shuffles give eight lanes the sum.")
}

BEGIN {
    levels()
    shuffle()
    exit
}
