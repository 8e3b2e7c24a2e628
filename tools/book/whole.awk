# tools/book/whole.awk: the pages of the book as one page, for printing.
#   awk -f whole.awk PAGE.html...      in the book's folder, in reading order
# Names of places get their page's name in front, and links follow them. Links
# to pages that are not among these lead nowhere on paper: only text is left.

function key(page) {
    gsub(/[^A-Za-z0-9]/, "-", page)
    return page
}

# The page that `to` names, seen from the page `from`.
function joined(from, to) {
    if (to == "")
        return from
    if (!sub(/[^\/]*$/, "", from))
        from = ""
    to = from to
    while (sub(/[^\/.]+\/\.\.\//, "", to))
        ;
    return to
}

# The line with every id, href and src as it must be in the whole.
function moved(line, done, at, kind, value, page, anchor) {
    done = ""
    while (match(line, / (id|href|src)="[^"]*"/)) {
        done = done substr(line, 1, RSTART - 1)
        at = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        kind = at
        sub(/=.*/, "", kind)
        value = substr(at, length(kind) + 3)
        sub(/"$/, "", value)
        if (kind == " id") {
            value = key(FILENAME) "--" value
        } else if (value !~ /^[a-z]+:/) {
            page = anchor = value
            sub(/#.*/, "", page)
            anchor = value ~ /#/ ? substr(value, index(value, "#") + 1) : ""
            page = joined(FILENAME, page)
            if (kind == " src")
                value = page
            else
                value = "#" key(page) (anchor != "" ? "--" anchor : "")
            if (kind == " href" && !(page in there))
                continue
        }
        done = done kind "=\"" value "\""
    }
    return done line
}

BEGIN {
    for (n = 1; n < ARGC; n++)
        there[ARGV[n]] = 1
    print "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">" \
        "<title>FlashAttention, one step at a time</title>" \
        "<link rel=\"stylesheet\" href=\"book.css\"></head><body>"
}

/<body/ { match($0, /class="[a-z]*"/); class = substr($0, RSTART, RLENGTH) }

/<main/ {
    inside = 1
    print "<main " class " id=\"" key(FILENAME) "\">"
    next
}

/<\/main>/ { inside = 0; print }

inside { print moved($0) }

END { print "</body></html>" }
