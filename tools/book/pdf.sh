#!/bin/sh
# tools/book/pdf.sh: the book in reading order, printed to $BUILD/book.pdf.
set -u
export LC_ALL=C.UTF-8

build=${BUILD:-build}
parts=$build/book_parts
whole=$build/book/whole.part.html
trap 'rm -f "$whole"' EXIT

# shellcheck disable=SC2046 # pages, without blanks
(cd "$build/book" && awk -f "$OLDPWD/tools/book/whole.awk" \
    $(cut -f 2 "$OLDPWD/$parts/list" | grep -v '^part$')) >"$whole" || exit 1

sh tools/book/browser.sh --no-pdf-header-footer \
    --user-data-dir="$parts/profile" --print-to-pdf="$build/book.part.pdf" \
    --generate-pdf-document-outline --virtual-time-budget=60000 \
    "file://$PWD/$whole" 2>"$parts/pdf.log"
if [ ! -s "$build/book.part.pdf" ]; then
    echo "book.pdf: Chromium printed nothing (see $parts/pdf.log)" >&2
    exit 1
fi
mv "$build/book.part.pdf" "$build/book.pdf"
