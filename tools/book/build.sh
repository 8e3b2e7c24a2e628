#!/bin/sh
# tools/book/build.sh: docs/*.md and the files that they show, as the static
# site $BUILD/book. Made in $BUILD/book.part first: a book that fails leaves the
# one before it as it was. $BUILD/book_parts holds what was compiled for it.
# shellcheck disable=SC2016,SC2094 # sed programs; render only names the file
set -u
LC_ALL=C.UTF-8
export LC_ALL

build=${BUILD:-build}
tools=tools/book
parts=$build/book_parts
out=$build/book.part
BOOK_LINKED=$parts/linked BOOK_INDEX=$parts/index BOOK_STEPS=$PWD/$parts/steps
LUA_PATH="$PWD/$tools/?.lua"
export BOOK_LINKED BOOK_INDEX BOOK_STEPS LUA_PATH

tab=$(printf '\t')
rm -rf "$out" && mkdir -p "$out" || exit 1
: >"$BOOK_LINKED"
: >"$BOOK_INDEX"
sh $tools/list.sh >"$parts/list" || exit 1
cut -f 2- "$parts/list" >"$parts/contents"

# neighbour PAGE STEP: page and title of the one STEP after it among its like;
# with step "above", of the page below which it hangs.
neighbour() {
    awk -F"$tab" -v here="$1" -v step="$2" '
        $1 == "part" { next }
        { line[$1] = $1 FS $2; above[$1] = $3; page[$3, ++n[$3]] = $1 }
        $1 == here { at = n[$3] }
        END {
            if (at && step == "above")
                print line[above[here]]
            else if (at && (above[here], at + step) in page)
                print line[page[above[here], at + step]]
        }' "$parts/contents"
}

# render FILE PAGE TITLE: stdin, Markdown, as that page of the book.
render() {
    target=$out/$2
    mkdir -p "$(dirname "$target")"
    root=$(echo "$2" | awk -F/ '{ for (i = 1; i < NF; i++) printf "../" }')
    awk -v here="$2" -v root="$root" -f $tools/contents.awk \
        "$parts/contents" "$parts/contents" >"$parts/contents.html"
    set -- "$@" "$(neighbour "$2" -1)" "$(neighbour "$2" 1)" \
        "$(neighbour "$2" above)"
    kind=page
    case $1 in *.md) ;; *) kind=source ;; esac
    grep -q 'book stepper' "$1" 2>/dev/null && stepper=yes || stepper=

    pandoc -f gfm+tex_math_dollars+smart -t html5 --mathml --fail-if-warnings \
        --wrap=preserve --columns=10000 --template=$tools/template.html \
        --lua-filter=$tools/page.lua -M path="$1" -M pagetitle="$3" \
        -V root="$root" -V kind=$kind ${stepper:+-V stepper=yes} \
        -V contents="$(sed '/<!-- sections/,$d' "$parts/contents.html")" \
        -V contents-rest="$(sed -n '/<!-- sections/,$p' "$parts/contents.html")" \
        ${4:+-V previous="$root${4%%"$tab"*}" -V previous-title="${4#*"$tab"}"} \
        ${5:+-V next="$root${5%%"$tab"*}" -V next-title="${5#*"$tab"}"} \
        ${6:+-V above="$root${6%%"$tab"*}" -V above-title="${6#*"$tab"}"} \
        >"$parts/page" || return 1
    # Lines of a file are named by their number: #L12.
    numbers=
    [ $kind = source ] && numbers='s/\(id="\|href="#\)cb[0-9]*-/\1L/g'
    sed -f $tools/pandoc.sed -e "$numbers" "$parts/page" >"$target"
}

# source FILE: its page, with its notes if it has any.
source_page() {
    notes=docs/notes/$(basename "$1" | sed 's/\.[^.]*$//').md
    if grep -qs "^# .*(\.\./\.\./$1)" "$notes"; then
        sed -n '2,$p' "$notes"
    else
        echo
    fi | render "$1" "${1#docs/}.html" "$1"
}

# files_of FOLDER: a page that lists them.
files_of() {
    printf '# %s\n\n' "$1"
    find "$1" -maxdepth 1 -type f ! -name '*.npy' | LC_ALL=C sort |
        sed 's|.*/\(.*\)|- [`\1`](\1)|'
}

failures=0
while IFS=$tab read -r file page title; do
    case $file in
    part) continue ;;
    *.md) render "$file" "$page" "$title" <"$file" ;;
    *) source_page "$file" ;;
    esac || { echo "$file: no page of the book" >&2; failures=1; }
done <"$parts/list"

# What those pages link to, and what that links to, until nothing is new.
while :; do
    more=
    # shellcheck disable=SC2013 # paths, without blanks
    for file in $(sort -u "$BOOK_LINKED"); do
        page=${file#docs/}
        case $page in
        *.svg | *.png) ;;
        notes/index.md) page=notes/index.html ;;
        notes/*) continue ;;
        *.md) page=${page%.md}.html ;;
        *) page=$page.html ;;
        esac
        [ -e "$out/$page" ] && continue
        more=yes
        mkdir -p "$(dirname "$out/$page")"
        case $file in
        *.svg | *.png)
            [ -e "$file" ] || { # the page shows a gap; make book-test is red
                echo "$file: not there (make plots)" >&2
                : >"$out/$page"
                continue
            }
            cp "$file" "$out/$page"
            ;;
        */index.md) files_of "${file%/index.md}" | render "$file" "$page" "$file" ;;
        *.md)
            title=$(sh $tools/list.sh "$file" | cut -f 3)
            render "$file" "$page" "$title" <"$file"
            ;;
        *) source_page "$file" ;;
        esac || { echo "$file: no page of the book" >&2; exit 1; }
    done
    [ -z "$more" ] && break
done
[ $failures -eq 0 ] || exit 1

cp $tools/*.css $tools/*.js "$parts/kernels.js" "$out/" || exit 1
{ echo 'const INDEX = ['; cat "$BOOK_INDEX"; echo '];'; } >"$out/index.js"
rm -rf "$build/book" && mv "$out" "$build/book"
echo "$(find "$build/book" -name '*.html' | wc -l) pages"
