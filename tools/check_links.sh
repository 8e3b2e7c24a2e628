#!/bin/sh
# tools/check_links.sh PAGE...: every relative link and image of a Markdown
# page names a file that is there, and an #anchor a heading of that file. A
# plot must also be one that was drawn anew into $PLOTS, if that is set.
set -u
. tools/count.sh

# Where each link outside of code is, the file that it names, itself, and
# whether that has the heading.
awk '
    FNR == 1 { fence = 0 }
    /^ *(```|~~~)/ { fence = !fence }
    fence { next }
    # An anchor that is set by hand, or as GitHub makes it of a heading.
    match($0, /(id|name)="[^"]+"/) {
        split(substr($0, RSTART, RLENGTH), part, "\"")
        anchors[FILENAME "#" part[2]]
    }
    { gsub(/`[^`]*`/, "&\n") } # code: not in a link, but in a heading
    /^#+ / {
        text = tolower($0)
        sub(/^#+ +/, "", text)
        gsub(/\]\([^)]*\)/, "", text)
        gsub(/[^a-z0-9 _\200-\377-]/, "", text)
        gsub(/ /, "-", text)
        text = FILENAME "#" text
        anchors[text (seen[text]++ ? "-" seen[text] - 1 : "")]
    }
    {
        gsub(/`[^`]*`\n/, "")
        while (match($0, /\]\([^() ]+/)) {
            target = substr($0, RSTART + 2, RLENGTH - 2)
            $0 = substr($0, RSTART + RLENGTH)
            if (target ~ /:\/\/|^mailto:/)
                continue
            file = FILENAME
            if (target !~ /^#/)
                sub(/[^\/]*$/, target, file)
            else
                file = file target
            while (sub(/[^\/.]+\/\.\.\//, "", file)) ;
            where[++n] = FILENAME ":" FNR ": " target
            to[n] = file
        }
    }
    END {
        for (k = 1; k <= n; k++) {
            page = to[k]
            sub(/#.*/, "", page)
            print page, to[k] !~ /\.md#/ || to[k] in anchors, where[k]
        }
    }' "$@" >"$tmp/links"

while read -r file heading link; do
    error=
    [ "$heading" = 1 ] || error="no such heading"
    [ -e "$file" ] || error="no such file"
    case ${PLOTS:+$file} in
    docs/plots/*.svg)
        [ -f "$PLOTS/${file##*/}" ] || error="no plot.gp draws it" ;;
    esac
    count ${#error} "$link: $error"
done <"$tmp/links"
finish "name a file and a heading that are there; then make docs-check"
