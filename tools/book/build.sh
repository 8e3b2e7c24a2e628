#!/bin/sh
# tools/book/build.sh: docs/*.md and the files that they show, as the static
# site $BUILD/book. Made in $BUILD/book.part first: a book that fails leaves the
# one before it as it was. $BUILD/book_parts holds what was compiled for it.
# shellcheck disable=SC2016,SC2094 # sed programs; the loop reads what it adds
set -u
LC_ALL=C.UTF-8
export LC_ALL

build=${BUILD:-build}
tools=tools/book
parts=$build/book_parts
out=$build/book.part
BOOK_LINKED=$parts/linked BOOK_INDEX=$parts/index BOOK_LIST=$parts/list
BOOK_STEPS=$PWD/$parts/steps
LUA_PATH="$PWD/$tools/?.lua"
export BOOK_LINKED BOOK_INDEX BOOK_LIST BOOK_STEPS LUA_PATH

rm -rf "$out" && mkdir -p "$out" || exit 1
: >"$BOOK_INDEX"
sh $tools/list.sh >"$BOOK_LIST" || exit 1

# render FILE PAGE: stdin, Markdown, as that page of the book.
render() {
    pandoc -f gfm+tex_math_dollars+smart -t html5 --mathml --fail-if-warnings \
        --wrap=preserve --columns=10000 --template=$tools/template.html \
        --lua-filter=$tools/page.lua -M path="$1" >"$parts/page" || return 1
    # Lines of a file are named by their number: #L12.
    numbers='s/\(id="\|href="#\)cb[0-9]*-/\1L/g'
    case $1 in *.md) numbers= ;; esac
    sed -f $tools/pandoc.sed -e "$numbers" "$parts/page" >"$out/$2"
}

# files_of FOLDER: a page that lists them.
files_of() {
    printf '# %s\n\n' "$1"
    find "$1" -maxdepth 1 -type f ! -name '*.npy' | LC_ALL=C sort |
        sed 's|.*/\(.*\)|- [`\1`](\1)|'
}

# The pages in their order; what they link to, which pandoc adds while we read;
# what that links to; until nothing is new.
cut -f 1,2 "$BOOK_LIST" | grep -v ^part >"$BOOK_LINKED"
while IFS=$(printf '\t') read -r file page; do
    [ -e "$out/$page" ] && continue
    mkdir -p "$(dirname "$out/$page")"
    case $file in
    *.svg | *.png) cp "$file" "$out/$page" ;; # not there? make plots
    *.md)
        if [ -f "$file" ]; then cat "$file"; else files_of "${file%/*}"; fi |
            render "$file" "$page"
        ;;
    *) # with its notes if it has any
        notes=docs/notes/$(basename "${file%.*}").md
        grep -qs "^# .*(\.\./\.\./$file)" "$notes" || notes=/dev/null
        sed '1d' "$notes" | render "$file" "$page"
        ;;
    esac || { echo "$file: no page of the book" >&2; exit 1; }
done <"$BOOK_LINKED"

cp $tools/*.css $tools/*.js "$parts/kernels.js" "$out/" || exit 1
{ echo 'const INDEX = ['; cat "$BOOK_INDEX"; echo '];'; } >"$out/index.js"
rm -rf "$build/book" && mv "$out" "$build/book"
echo "$(find "$build/book" -name '*.html' | wc -l) pages"
