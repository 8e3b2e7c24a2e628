# gpu.awk: draws docs/plots/gpu.svg, the memories of an H200 with their sizes and rates.
# docs/00_attention.md shows it and names the sources of the numbers.
#
#     awk -f docs/lab/gpu.awk >docs/plots/gpu.svg
#
# An arrow has one pixel of width for each TB/s, so 31 TB/s is a wide one.

function text(x, y, class, words) {
    body = body sprintf("<text x='%d' y='%d'%s>%s</text>\n", x, y, \
        class == "" ? "" : " class='" class "'", words)
}

function box(x, y, width, height, class) {
    body = body sprintf("<rect x='%d' y='%d' width='%d' height='%d' class='%s'/>\n", \
        x, y, width, height, class)
}

# Draws an arrow with two heads between y and y + height, with x in its middle.
function arrow(x, y, height, rate,    half) {
    half = rate / 2
    body = body sprintf("<path class='arrow' d='M%.1f %dl%.1f 8h-4v%dh4l%.1f 8" \
        "l%.1f -8h4v%dh-4z'/>\n", x, y, half + 4, height - 16, -half - 4, \
        -half - 4, 16 - height)
}

# Draws an SM; its computing part, registers and shared memory are one column.
function sm(x, name) {
    box(x, 34, 164, 206, "sm")
    text(x + 10, 54, "head", name)
    box(x + 10, 64, 144, 52, "registers")
    text(x + 18, 85, "", "registers")
    text(x + 18, 105, "head", "256 KB")
    arrow(x + 42, 118, 60, 31)
    text(x + 70, 143, "", "31 TB/s,")
    text(x + 70, 160, "", "all SMs")
    box(x + 10, 180, 144, 52, "shared")
    text(x + 18, 201, "", "shared memory")
    text(x + 18, 221, "head", "228 KB")
}

BEGIN {
    text(8, 22, "head", "An H200: 132 SMs on one chip, and its HBM")
    sm(16, "SM 0")
    sm(190, "SM 1")
    text(364, 130, "head", "… to SM 131")
    text(364, 152, "", "each with its")
    text(364, 171, "", "own memories")

    box(16, 250, 448, 40, "cache")
    text(26, 275, "", "L2 cache, for all SMs")
    text(200, 275, "head", "50 MB")
    arrow(58, 292, 50, 4.8)
    text(86, 322, "", "4.8 TB/s: the narrow way")
    box(16, 344, 448, 64, "hbm")
    text(26, 381, "", "HBM, next to the chip")
    text(200, 381, "head", "141 GB")

    printf "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 480 420'" \
        " font-family='sans-serif' font-size='15'>\n" \
        "<title>The memories of an H200: the larger, the slower.</title>\n<style>\n" \
        "rect{stroke:#666}\n" \
        ".head{font-weight:bold}\n" \
        ".sm{fill:#fff}\n" \
        ".registers{fill:#c9e7dc}\n" \
        ".shared{fill:#cfe5f4}\n" \
        ".cache{fill:#eee}\n" \
        ".hbm{fill:#f7dcae}\n" \
        ".arrow{fill:#B34700}\n" \
        "</style>\n<rect width='480' height='420' style='fill:#fff;stroke:none'/>\n" \
        "%s</svg>\n", body
    exit
}
