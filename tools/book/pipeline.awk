# tools/book/pipeline.awk: what `timeline events` prints of rung 10, as the
# arrays of tools/book/steps/steps.h: at each moment in words what each role did
# and what it waits for, and what is in the stages of shared memory.

BEGIN {
    FS = "\t"
    events = loads = softmaxes = 0
    says["load"] = "asks TMA to fill"
    says["wait"] = "goes on from"
    says["arrive"] = "signals"
    says["commit"] = "starts"
    says["bar_sync"] = "has its turn, barrier"
    says["bar_arrive"] = "gives the turn, barrier"
    split("producer|consumer A|consumer B", title, "|")
    stages = split("Q_ K_[0] K_[1] V_[0] V_[1]", stage, " ")
    print "#include \"tools/book/steps/steps.h\""
    print "const pipeline_box pipeline_boxes[] = {"
}

$2 != "pingpong" { next }

# A product is started once, by many instructions.
$1 == "event" && $5 == "wgmma" { product[$4] = $6; next }

$1 == "event" && $5 != "init" {
    clock[events] = $3
    who[events] = $4
    what[events] = $5
    name[events++] = $5 == "commit" ? product[$4] : $6
    moment[$3] = 1
}

$1 == "box" {
    role = $4 == "A" ? 1 : $4 == "B" ? 2 : 0
    printf "{%d, \"%s\", %d, %d},\n",
        $3 == "loads" ? 0 : 2 * role - ($3 == "products"), $5, $6, $7
    if ($3 == "loads")
        loaded[loads++] = $7
    if ($3 == "softmax") {
        from[softmaxes] = $6
        to[softmaxes] = $7
        of[softmaxes++] = role
    }
    boxes++
    moment[$7] = 1
    last = $7 > last ? $7 : last
}

function did(role, now,    e, text, said) {
    for (e = 0; e < events; e++) {
        if (who[e] != role || clock[e] != now || !(what[e] in says) ||
            (what[e] == "arrive" && role == 0) || what[e] name[e] == said)
            continue # the same once more: halves of a tile
        said = what[e] name[e]
        text = text (text == "" ? "" : "; ") says[what[e]] " " name[e]
    }
    return text
}

function waits(role, now,    e) {
    for (e = 0; e < softmaxes; e++)
        if (of[e] == role && from[e] <= now && now < to[e])
            return "computes softmax"
    for (e = 0; e < events; e++)
        if (who[e] == role && clock[e] > now)
            return what[e] == "wait" ? "waits for " name[e] : \
                what[e] == "bar_sync" ? "waits for its turn, barrier " name[e] : \
                "waits for its product"
    return "is done"
}

# What is in the stage with these two barriers. The k-th load ends with the k-th
# box of loads: TMA has one queue.
function holds(full, empty, now,    e, k, coming, tiles, freed) {
    for (e = tiles = freed = k = 0; e < events && clock[e] <= now; e++) {
        if (what[e] == "load" && name[e] == full)
            coming = loaded[k] > now
        k += what[e] == "load"
        tiles += what[e] == "arrive" && name[e] == full
        freed += what[e] == "arrive" && name[e] == empty
    }
    if (coming)
        return "tile " tiles " is on its way"
    if (2 * tiles <= freed)
        return "empty"
    return "tile " tiles (2 * tiles == freed + 1 ? ", one consumer is done" : "")
}

END {
    print "};\nconst size_t pipeline_boxes_n = " boxes ";"
    print "const pipeline_moment pipeline_moments[] = {{0, {"
    for (role = 1; role <= 3; role++)
        print "\"" title[role] "||has not begun\","
    print "}, \"empty|empty|empty|empty|empty\"},"
    for (now = 0; now <= last; now++) {
        if (!(now in moment))
            continue
        printf "{%d, {", now
        for (role = 0; role < 3; role++)
            printf "\"%s|%s|%s\", ", title[role + 1], did(role, now),
                waits(role, now)
        printf "}, \""
        for (k = 1; k <= stages; k++) {
            full = empty = stage[k]
            sub(/_/, "_full", full)
            sub(/_/, "_empty", empty)
            printf "%s%s", (k > 1 ? "|" : ""), holds(full, empty, now)
        }
        print "\"},"
        moments++
    }
    print "};\nconst size_t pipeline_moments_n = " moments + 1 ";"
}
