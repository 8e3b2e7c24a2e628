# tables.awk: what the pages show of the machine code:
#
#   awk -v what=WHAT [-v way=back] -f tables.awk docs/results/sass.tsv
#
#   loop    the instructions of the main loop      docs/machine_code.md
#   room    what a block asks of a multiprocessor, and which card has that
#   waits   rung 10, and as one would write it first     docs/hopper.md
#   model   which unit binds                       docs/machine_code.md
#   budget  backward rung 3's registers            docs/07_backward.md

BEGIN {
    FS = "\t"
    if (what == "loop")
        titles("rung|d|instructions|tensor cores|exponentials|" \
            "multiply, add, FFMA|maxima|roundings|the rest")
    else if (what == "room")
        titles("rung|d|threads|registers of each|shared memory, KiB|" \
            "blocks a multiprocessor|its warps|runs from")
    else if (what == "waits")
        titles("rung 10, machine code|d|exponentials in the loop|" \
            "between the two waits")
    else if (what == "model")
        titles("rung|d|on an|tensor cores|MUFU|issue|binds|" \
            "TFLOP/s in turn|side by side")
}

function titles(line, n, s) {
    n = gsub(/\|/, " | ", line) + 1
    print "| " line " |"
    while (n--)
        s = s "|---"
    print s "|"
}

FNR == 1 {
    for (k = 1; k <= NF; k++)
        at[$k] = k
    next
}
{
    rung = $1
    name = $2
    d = $3
    loop = $at["loop"]
    tensor = $at["tensor"]
    exps = $at["exp2"]
    float = $at["mul"] + $at["add"] + $at["fma"]
    KiB = ($at["static"] + $at["dynamic"]) / 1024
    hopper = rung ~ /^([89]|1[0-2]|b4)/
}
what == "budget" { budget() }
(rung ~ /^b/) != (way == "back") { next }
what == "waits" && name ~ /^pingpong/ {
    printf "| K awaited %s | %s | %d | %d |\n", \
        (rung == 10 ? "after softmax" : "at the top"), d substr(name, 9), \
        exps, $at["beside"]
}
rung ~ /first/ || d < 64 || d > 128 { next }
what == "loop" {
    printf "| %s %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", rung, name, \
        d, loop, tensor, exps, float, $at["max"], $at["round"], \
        loop - tensor - exps - float - $at["max"] - $at["round"]
}
what == "room" {
    printf "| %s %s | %d | %d | %d | %.1f | %d | %d | %s |\n", rung, name, d, \
        $at["threads"], $at["registers"], KiB, $at["blocks"], \
        $at["blocks"] * $at["threads"] / 32, $at["card"] (hopper ? " alone" : "")
}
what == "model" { model() }

# --- Which unit binds --------------------------------------------------------
# What a tile of keys takes of a multiprocessor, in clocks: of its tensor cores,
# of the unit that has the exponentials (MUFU), and of the four schedulers,
# which issue an instruction each. A warp's tile, or from rung 8 on a
# warpgroup's: rows queries, keys keys. Rates are NVIDIA's
# (docs/machine_code.md); TFLOP/s is the share of the products' clocks, of their
# peak. A model: nothing was timed.

function model(rows, keys) {
    if (rung ~ /^(5b|6a|6b|7)$/) {
        # Only where the written loop holds all products of a tile.
        rows = rung == 7 ? 32 : 16
        keys = rung == 7 && d == 128 ? 32 : 64
        if (tensor * 4096 == 4 * rows * keys * d)
            units(4 * rows * keys * d / 2048, 1, "A100", 312, exps, loop)
    } else if (rung ~ /^(8|9|10|11)$/) {
        # An exponential for each two columns of a tile, and two to rescale.
        units(4 * 64 * 2 * (exps - 2) * d / (rung == 11 ? 8192 : 4096), 4, \
            "H100", rung == 11 ? 1979 : 989, exps, loop)
    }
}

# products: clocks; of so many warps; peak: of the whole GPU; exps and
# instructions: of a thread.
function units(products, warps, gpu, peak, exps, instructions, \
    mufu, issue, other)
{
    mufu = exps * 32 * warps / 16
    issue = instructions * warps / 4
    other = mufu > issue ? mufu : issue
    printf "| %s %s | %d | %s | %d | %d | %d | %s | %d | %d |\n", rung, name, \
        d, gpu, products, mufu, issue, \
        (products >= other ? "tensor cores" : mufu >= issue ? "MUFU" : "issue"), \
        peak * products / (products + other), \
        (products >= other ? peak : peak * products / other)
}

# --- Backward rung 3's registers ---------------------------------------------
# A letter for each 4 of a thread's. A lane has D / 2 elements of 16 rows of dK,
# and as many of dV; of S and of dP one for each exponential of the loop.

function budget() {
    if (rung == "b3")
        printf "%sd %3d |%s%s%s%s%s %d of 255\n", d == 32 ? "```text\n" : "", \
            d, bar("dK", d / 2), bar("dV", d / 2), bar("S", exps), \
            bar("dP", exps), bar("others", $at["registers"] - d - 2 * exps), \
            $at["registers"]
}

function bar(name, registers, s) {
    s = name " " registers
    while (length(s) < registers / 4 - 1)
        s = s " "
    return s "|"
}

END {
    if (what == "budget")
        print "```"
}
