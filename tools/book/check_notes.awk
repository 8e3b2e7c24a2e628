# tools/book/check_notes.awk: do the notes still fit their kernels?
#   awk -f tools/book/check_notes.awk docs/notes/*.md
# A note is a paragraph that begins with code; this code must stand in a line
# of the file that the page's title links to, below the line of the note
# before it.

function bad(what) {
    print FILENAME ":" FNR ": " what
    failed++
}

FNR == 1 {
    if (!match($0, /\(\.\.\/\.\.\/[^)]*\)/)) {
        bad("the title links to no file (../../FOLDER/FILE)")
        nextfile
    }
    source = substr($0, RSTART + 7, RLENGTH - 8)
    lines = at = 0
    while ((getline text <source) > 0)
        line[++lines] = text
    close(source)
    if (lines == 0)
        bad(source ": no such file")
    blank = 0
    next
}

/^`/ && blank {
    code = substr($0, 2)
    if (!index(code, "`")) {
        bad("the code does not end on its line")
    } else {
        code = substr(code, 1, index(code, "`") - 1)
        for (n = at + 1; n <= lines && !index(line[n], code); n++)
            ;
        if (n > lines)
            bad(source " has no line (below " at ") with: " code)
        else
            at = n
        passed += n <= lines
    }
}

{ blank = $0 == "" }

END {
    print passed + 0 " passed, " failed + 0 " failed"
    exit failed > 0
}
