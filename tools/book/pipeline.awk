# tools/book/pipeline.awk: what `timeline events` prints of rung 10, as the
# arrays of tools/book/steps/pipeline.h.

BEGIN {
    FS = "\t"
    print "#include \"tools/book/steps/pipeline.h\""
    print "const pipeline_event pipeline_events[] = {"
}

$2 != "pingpong" { next }

# A product is started once, by many instructions.
$1 == "event" && $5 == "wgmma" { product[$4] = $6; next }

$1 == "event" && $5 != "init" {
    printf "{%d, %d, \"%s\", \"%s\"},\n", $3, $4, $5, \
        $5 == "commit" ? product[$4] : $6
    events++
}

$1 == "box" {
    who = $4 == "A" ? 1 : $4 == "B" ? 2 : 0
    box[boxes++] = sprintf("{%s, %d, \"%s\", %d, %d},", toupper($3), who, $5, \
        $6, $7)
}

END {
    print "};\nconst size_t pipeline_events_n = " events ";"
    print "const pipeline_box pipeline_boxes[] = {"
    for (k = 0; k < boxes; k++)
        print box[k]
    print "};\nconst size_t pipeline_boxes_n = " boxes ";"
}
