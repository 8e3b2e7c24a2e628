# The table of cards of docs/machine_code.md, of docs/results/cards.tsv:
#   awk -f 07_cuda/oracles/cards.awk docs/results/cards.tsv
# How much shared memory a block may have is from the CUDA C++ Programming
# Guide, "Technical Specifications per Compute Capability", in KiB.
BEGIN {
    FS = "\t"
    cards = split("75 T4 64|86 RTX_30 99|89 RTX_40 99|120 RTX_50 99|" \
        "80 A100 163|90a H100 227|100 B200 227", card, "|")
    head = "| rung | KiB a block, d 64, 128 |"
    rule = "|---|---|"
    limits = "| | |"
    for (c = 1; c <= cards; c++) {
        split(card[c], word, " ")
        arch[c] = "sm_" word[1]
        limit[c] = word[3]
        sub(/_/, " ", word[2])
        head = head " " word[2] " |"
        rule = rule "---|"
        limits = limits " " arch[c] ", " limit[c] " KiB |"
    }
    print head
    print rule
    print limits
}
FNR == 1 { next }
{
    if (!($1 in name)) {
        order[++rungs] = $1
        name[$1] = $2
        KiB[$1, 64] = ($5 + $7) / 1024
        KiB[$1, 128] = ($6 + $8) / 1024
    }
    answer[$1, $3] = $4
}

# Why not, in a word: the instruction, or the architecture that it needs.
function cannot(said) {
    if (match(said, /requires .target sm_[0-9]+/))
        return "no: " substr(said, RSTART + 17, RLENGTH - 17)
    if (match(said, /Instruction '[a-z]+/))
        return "no: `" substr(said, RSTART + 13, RLENGTH - 13) "`"
    return "no"
}

# Bytes of a block of rung 4 with tiles of Br queries, as its file adds them up:
# Q; V, K of 32 keys. And the largest Br that fits, one warp for each 32.
function warp_tiles(Br) {
    return ((Br + 32) * 32 + 32 * 33) * 16
}

function fitting(r, limit, Br) {
    if (name[r] != "warp_tiles" || warp_tiles(128) != KiB[r, 128] * 1024)
        return "?"
    for (Br = 96; Br > 0; Br -= 32)
        if (warp_tiles(Br) <= limit * 1024)
            return Br
    return "none"
}

function verdict(r, c) {
    if (!((r, arch[c]) in answer))
        return "?"
    if (answer[r, arch[c]] != "compiles")
        return cannot(answer[r, arch[c]])
    if (KiB[r, 64] > limit[c])
        return "too large"
    if (KiB[r, 128] > limit[c])
        return "d 64; at 128 with Br = " fitting(r, limit[c])
    return "yes"
}

END {
    for (k = 1; k <= rungs; k++) {
        r = order[k]
        line = sprintf("| %s %s | %.1f, %.1f |", r, name[r], KiB[r, 64],
            KiB[r, 128])
        for (c = 1; c <= cards; c++)
            line = line " " verdict(r, c) " |"
        print line
    }
}
