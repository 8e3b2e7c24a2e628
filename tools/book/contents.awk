# tools/book/contents.awk: the reading order as a nested list, seen from the
# page `here`: what hangs below a page is shown to who is there. Below `here`
# itself the template puts its sections. Reads lines of: part, or page, title
# and the page above, with tabs between.
#   awk -v here=a/b.html -v root=../ -f contents.awk LIST LIST

BEGIN { FS = "\t" }

NR == FNR {
    if ($1 == here)
        family = $3 != "" ? $3 : here
    next
}

function close_page() {
    if (below)
        print "</ul>"
    if (page)
        print "</li>"
    page = below = 0
}

function entry(    class, current) {
    class = $1 ~ /\.[a-z]+\.html$/ ? " class=\"file\"" : ""
    current = $1 == here ? " aria-current=\"page\"" : ""
    printf "<li%s><a href=\"%s%s\"%s>%s</a>\n", class, root, $1, current, $2
    if ($1 == here)
        print "<!-- sections -->"
}

FNR == 1 { print "<ul>" }

$1 == "part" {
    close_page()
    if (open)
        print "</ul></li>"
    open = 1
    printf "<li><span class=\"part\">%s</span><ul>\n", $2
    next
}

$3 != "" {
    if ($3 != family)
        next
    if (!below)
        print "<ul class=\"below\">"
    below = 1
    entry()
    print "</li>"
    next
}

{
    close_page()
    page = 1
    entry()
}

END {
    close_page()
    if (open)
        print "</ul></li>"
    print "</ul>"
}
