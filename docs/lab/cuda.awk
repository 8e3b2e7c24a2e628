# cuda.awk: draws the pictures of docs/cuda_in_one_page.md: docs/plots/cuda.svg, the grid,
# a block, a warp and a lane on the scores S, cuda_shuffle.svg, a butterfly shuffle, and
# cuda_coalesced.svg, the sectors of a load. For docs/07_cuda.md: cuda_ldmatrix.svg, what
# each lane gets of a matrix, and cuda_buffers.svg, one buffer and two over time.
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

# A sector has 8 numbers. At the top lane i reads number i, below the first of row i.
function coalesced(    k, c) {
    text(8, 22, "head", "lane i reads x[i]: 4 sectors, all of them used")
    for (k = 0; k < 32; k++) {
        box(8 + 14 * k + 4 * int(k / 8), 32, 14, 24, "lane")
        if (k % 8 == 0)
            text(8 + 14.5 * k, 74, "", k ? "lane " k : "lane 0")
    }
    text(8, 106, "head", "lane i reads x[i][0]: 32 sectors, an eighth used")
    for (k = 0; k < 5; k++) {
        text(8, 133 + 28 * k + 12 * (k == 4), "", k < 4 ? "lane " k : "lane 31")
        for (c = 0; c < 24; c++)
            box(76 + 16 * c + 4 * int(c / 8), 116 + 28 * k + 12 * (k == 4), 16, 24,
                c ? (c < 8 ? "block" : "") : "lane")
    }
    text(8, 290, "", "blue: read; yellow: loaded, not used; white: not loaded")
    picture(more "_coalesced.svg", 304, "The sectors that 32 lanes load.")
}

# The pairs of an 8 x 8 matrix of 16-bit numbers. Lane r has the address of row r.
function ldmatrix(    k, r, c, x) {
    for (k = 0; k < 2; k++) {
        x = 34 + 240 * k
        text(x, 22, "head", k ? "ldmatrix.trans (V)" : "ldmatrix (K)")
        for (r = 0; r < 8; r++) {
            text(x - 16, 54 + 26 * r, "mid", r)
            for (c = 0; c < 4; c++) {
                if (k)
                    box(x + 25 * r, 36 + 52 * c, 25, 52, r == 3 && c == 1 ? "lane" : "warp")
                else
                    box(x + 50 * c, 36 + 26 * r, 50, 26, r == 3 && c == 1 ? "lane" : "warp")
                text(k ? x + 12 + 25 * r : x + 25 + 50 * c,
                     k ? 67 + 52 * c : 54 + 26 * r, "mid", 4 * r + c)
            }
        }
    }
    text(8, 268, "", "left of a row: the lane with its address; in a box: the lane")
    text(8, 288, "", "that gets the pair, of a row, or with trans of a column")
    picture(more "_ldmatrix.svg", 300, "The lanes that get the pairs of an 8 x 8 matrix.")
}

# Draws tile k of a unit at x. Tiles alternate between `buffers` buffers.
function tile(x, y, k, buffers) {
    box(x, y, 62, 28, k % buffers ? "lane" : "block")
    text(x + 31, y + 19, "mid", "tile " k)
}

function barrier(x, y) {
    body = body sprintf("<path d='M%d %dv76' stroke-dasharray='4 3' stroke-width='2'/>\n", \
        x, y)
}

function buffers(    k) {
    text(8, 22, "head", "rung 6a: one buffer, two barriers per tile")
    text(8, 190, "head", "rung 6b: two buffers, one barrier per tile")
    for (k = 0; k < 2; k++) {
        text(8, 55 + 168 * k, "", "copies")
        text(8, 95 + 168 * k, "", "products")
    }
    for (k = 0; k < 3; k++) {
        tile(84 + 124 * k, 36, k, 1)
        tile(146 + 124 * k, 76, k, 1)
        barrier(146 + 124 * k, 32)
        if (k < 2)
            barrier(208 + 124 * k, 32)
        tile(84 + 62 * k, 204, k, 2)
        tile(146 + 62 * k, 244, k, 2)
        barrier(146 + 62 * k, 200)
    }
    text(8, 140, "", "The copies stop during the products, and the products")
    text(8, 160, "", "during the copies.")
    text(8, 310, "", "dashed: a barrier of all threads; yellow, blue: the buffers")
    picture(more "_buffers.svg", 324, "Copies and products over time, not to scale.")
}

BEGIN {
    levels()
    shuffle()
    coalesced()
    ldmatrix()
    buffers()
    exit
}
