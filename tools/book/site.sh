#!/bin/sh
# tools/book/site.sh: $BUILD/site, the book and a page that invites to it, with
# relative links: ready for any static host, and for a browser without one. The
# page is README's beginning, up to its exercises.
set -eu
export LC_ALL=C.UTF-8

build=${BUILD:-build}
new=$build/site.part
rm -rf "$new"
mkdir -p "$new"
cp -R "$build/book" "$new/book"

# A page of docs/ is in the book; a heading that is left out is not linked to.
{
    sed '/^## Exercises/,$d' README.md
    echo '[Open the book](book/index.html), or begin with [attention, before the'
    echo 'first chapter](book/00_attention.html).'
} |
    sed -e 's|](docs/\([^)#]*\)\.md\([)#]\)|](book/\1.html\2|g' \
        -e 's|](docs/plots/|](book/plots/|' \
        -e 's| *\[[^]]*\](#[^)]*)\.||' |
    pandoc -f gfm+smart -t html5 --wrap=preserve --fail-if-warnings \
        --template=tools/book/template.html -V root=book/ -V kind=landing \
        -M pagetitle="Welcome" >"$new/index.html"

rm -rf "$build/site"
mv "$new" "$build/site"
