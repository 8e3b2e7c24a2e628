#!/bin/sh
# tools/book/list.sh: the book's pages in reading order, a line each: its file,
# its page, its title, and the page below which it hangs, with tabs between; or
# "part", "part" and the part's name. What order.txt names and is not there is
# passed over.
set -u
export LC_ALL=C.UTF-8

tab=$(printf '\t')

# line FILE PARENT: the title is a page's first heading, without its marks, or a
# source file's name.
line() {
    [ -f "$1" ] || return
    page=${1#docs/}
    page=${page%.md}.html
    title=${1##*/}
    case $1 in
    *.md) title=$(sed -n '/^# /{s/^# //;s/[`*]//g;s/'\''/’/g;p;q;}' "$1") ;;
    esac
    echo "$1$tab$page$tab$title$tab${2-}"
}

while IFS= read -r word; do
    case $word in
    '' | '#'*) ;;
    part*) echo "part${tab}part$tab${word#part }$tab" ;;
    docs/*.md) line "$word" && parent=$page ;;
    *docs/*.md) line "${word##* }" "$parent" ;;
    *)
        # shellcheck disable=SC2012,SC2086 # patterns
        for file in $(awk '/^0/ { print $1 }' tools/steps.txt |
            grep -xF "$(ls -d $word)"); do
            line "$file" "$parent"
        done
        ;;
    esac
done <tools/book/order.txt
