#!/bin/sh
# tools/book/build.sh: the pages of order.txt and the files that they show, as
# plain HTML in $BUILD/book, by pandoc. Made in $BUILD/book.part first: a book
# that fails leaves the one before it as it was.
set -eu
export LC_ALL=C.UTF-8

build=${BUILD:-build}
tools=tools/book
out=$build/book.part
tab=$(printf '\t')
BOOK_LINKED=$build/book.linked
export BOOK_LINKED
rm -rf "$out"
mkdir -p "$out"

# title FILE: its first heading, without marks.
title() {
    sed -n '/^# /{s/^# //;s/[`*]//g;s/&/\&amp;/g;p;q;}' "$1"
}

# The pages in their order, with their titles; and the contents as HTML.
list=$build/book.list
while read -r word rest; do
    case $word in
    part) echo "part$tab$rest" ;;
    docs/*) [ ! -f "$word" ] || echo "$(basename "$word" .md).html$tab$(title \
        "$word")$tab$word" ;;
    esac
done <$tools/order.txt >"$list"
contents=$(awk -F '\t' '
    $1 == "part" { printf "%s<p>%s</p>\n<ul>\n", n++ ? "</ul>\n" : "", $2; next }
    { printf "<li><a href=\"%s\">%s</a></li>\n", $1, $2 }
    END { print "</ul>" }' "$list")

# neighbours PAGE: links to what comes before it and after it.
neighbours() {
    grep -v '^part' "$list" | awk -F '\t' -v page="$1" '
        function to(what) {
            printf "<a href=\"%s\">%s: %s</a>\n", at, what, called
        }
        last == page { at = $1; called = $2; to("Next") }
        $1 == page && last { at = last; called = before; to("Before") }
        { last = $1; before = $2 }'
}

# shown FILE: as Markdown: a page is it already; a folder is a list, and a
# source file is one piece of code.
shown() {
    case $1 in
    *.md) cat "$1" && return ;;
    esac
    printf '# `%s`\n\n' "$1"
    if [ -d "$1" ]; then
        find "$1" -maxdepth 1 -type f ! -name '*.npy' | sort |
            sed 's|.*/\(.*\)|- [`\1`](\1)|'
    else
        language=$(echo "${1##*.}" | sed 's/^h$/c/; s/^cuh*$/cpp/; s/^mk$/makefile/
            s/^py$/python/; s/^sh$/bash/; s/^tsv$/text/')
        echo "~~~~$language"
        cat "$1"
        echo "~~~~"
    fi
}

# What the pages link to, pandoc adds while we read, until nothing is new.
grep -v '^part' "$list" | awk -F '\t' '{ print $3 "\t" $1 }' >"$BOOK_LINKED"
while IFS=$tab read -r file page; do
    [ ! -e "$out/$page" ] || continue
    case $file in
    *.svg) cp "$file" "$out/$page" && continue ;; # not there? make plots
    *.md) kind=page name=$(title "$file") path=$file ;;
    *) kind=source name=$file path=$file ;;
    esac
    [ ! -d "$file" ] || path=$file/.
    here=$(echo "$contents" |
        sed "s|<a href=\"$page\">|<a aria-current=\"page\" href=\"$page\">|")
    shown "$file" |
        pandoc -f gfm+tex_math_dollars+smart -t html5 --mathml --wrap=preserve \
            --fail-if-warnings --template=$tools/template.html \
            --lua-filter=$tools/page.lua -M path="$path" -M pagetitle="$name" \
            -V kind=$kind -V contents="$here" \
            -V neighbours="$(neighbours "$page")" >"$out/$page" || {
        echo "$file: no page of the book" >&2
        exit 1
    }
done <"$BOOK_LINKED"

cp $tools/book.css "$out/"
rm -rf "$build/book"
mv "$out" "$build/book"
echo "$(find "$build/book" -name '*.html' | wc -l) pages"
