# tools/book/terms.awk: the index of terms, as Markdown.
#   awk -v terms=terms.txt -f terms.awk PAGE.html...
# For each term of terms.txt: where it is explained, and the other pages that
# speak of it. A term that is nowhere is an error.

BEGIN {
    FS = " *[|] *"
    while ((getline <terms) > 0) {
        if ($0 ~ /^#/ || NF == 0)
            continue
        term[++n] = $1
        main[n] = $2
        pattern[n] = tolower(NF > 2 ? $3 : $1)
        sub(/,.*/, "", pattern[n])
    }
    print "# Index of terms\n"
    print "In bold where a term is explained; then the other pages that speak" \
        " of it.\n"
}

FNR == 1 {
    page[++pages] = FILENAME
    inside = 0
}

/<main/ { inside = 1 }
/<\/main>/ { inside = 0 }

inside && /<h1/ && !(pages in title) {
    title[pages] = $0
    gsub(/<[^>]*>/, "", title[pages])
}

inside {
    line = " " tolower($0) " "
    gsub(/<[^>]*>/, "", line)
    for (t = 1; t <= n; t++)
        if (!((t, pages) in said) && line ~ pattern[t])
            said[t, pages] = 1
    if (match($0, /id="[^"]*"/))
        anchor[FILENAME "#" substr($0, RSTART + 4, RLENGTH - 5)] = 1
}

# On a line of many: a chapter's number, or the title without what explains it,
# and without a comma of its own.
function short_name(name) {
    if (match(name, /^[0-9][0-9] · /))
        return substr(name, 1, 2)
    sub(/: .*/, "", name)
    sub(/,/, "", name)
    return name
}

function name_of(at, p, anchor_at) {
    sub(/#.*/, "", at)
    for (p = 1; p <= pages; p++)
        if (page[p] == at)
            return title[p]
    return ""
}

END {
    for (t = 1; t <= n; t++) {
        if (name_of(main[t]) == "")
            continue # its page is not written yet
        if (main[t] ~ /#/ && !(main[t] in anchor)) {
            print "terms.txt: " main[t] ": no such heading" >"/dev/stderr"
            failed = 1
        }
        line = "- " term[t] ": **[" name_of(main[t]) "](" main[t] ")**"
        others = 0
        for (p = 1; p <= pages; p++) {
            own = main[t]
            sub(/#.*/, "", own)
            if ((t, p) in said && page[p] != own && page[p] !~ /\.[a-z]+\.html/)
                line = line (others++ ? ", " : "; ") "[" short_name(title[p]) "](" page[p] ")"
        }
        gsub(/\.html/, ".md", line)
        print line
    }
    exit failed
}
