# tools/book/contents.awk: the reading order as a nested list, seen from the
# page `here`. Reads lines of: part, or page and title, with tabs between.
#   awk -v here=a/b.html -v root=../ -f contents.awk LIST

BEGIN { FS = "\t"; print "<ul>" }

$1 == "part" {
    if (open)
        print "</ul></li>"
    open = 1
    printf "<li><span class=\"part\">%s</span><ul>\n", $2
    next
}

{
    class = $1 ~ /\.[a-z]+\.html$/ ? " class=\"file\"" : ""
    current = $1 == here ? " aria-current=\"page\"" : ""
    printf "<li%s><a href=\"%s%s\"%s>%s</a></li>\n", class, root, $1, \
        current, $2
}

END {
    if (open)
        print "</ul></li>"
    print "</ul>"
}
