#!/bin/sh
# tools/check_links.sh PAGE...: every relative link and image of a Markdown
# page names a file that is there, and an #anchor a heading of that file. A
# plot must also be one that was drawn anew into $PLOTS, if that is set.
set -u
LC_ALL=C
export LC_ALL

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# page, line and target of each link, outside of code.
awk '
    FNR == 1 { fence = 0 }
    /^ *(```|~~~)/ { fence = !fence }
    fence { next }
    {
        gsub(/`[^`]*`/, "")
        line = $0
        while (match(line, /\]\([^() ]+/)) {
            print FILENAME, FNR, substr(line, RSTART + 2, RLENGTH - 2)
            line = substr(line, RSTART + RLENGTH)
        }
    }' "$@" >"$tmp/links"

# The anchors that GitHub gives to the headings of a page.
headings() {
    awk '
        /^ *(```|~~~)/ { fence = !fence }
        !fence && /^#+ / {
            sub(/^#+ +/, "")
            gsub(/\]\([^)]*\)/, "")
            $0 = tolower($0)
            gsub(/[^a-z0-9 _\200-\377-]/, "")
            gsub(/ /, "-")
            print $0 (seen[$0]++ ? "-" seen[$0] - 1 : "")
        }
        # and those that are set by hand
        match($0, /(id|name)="[^"]+"/) {
            anchor = substr($0, RSTART, RLENGTH)
            sub(/^[a-z]*="/, "", anchor)
            sub(/"$/, "", anchor)
            print anchor
        }' "$1"
}

links=0
failures=0
while read -r page line target; do
    case $target in
    *://* | mailto:*) continue ;;
    esac
    links=$((links + 1))
    path=${target%%#*}
    anchor=
    case $target in *#*) anchor=${target#*#} ;; esac
    case $path in
    '') file=$page ;;
    *) file=$(dirname "$page")/$path ;;
    esac

    error=
    if [ ! -e "$file" ]; then
        error="no such file"
    elif [ -n "$anchor" ] && [ -z "${file##*.md}" ] &&
        ! headings "$file" | grep -qxF -- "$anchor"; then
        error="no such heading"
    fi
    case ${PLOTS:+$file} in
    *docs/plots/*.svg | plots/*.svg)
        [ -f "$PLOTS/${file##*/}" ] || error="no plot.gp draws it"
        ;;
    esac
    [ -z "$error" ] && continue
    echo "$page:$line: $target: $error"
    failures=$((failures + 1))
done <"$tmp/links"

echo "$((links - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
