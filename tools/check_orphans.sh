#!/bin/sh
# tools/check_orphans.sh PAGE...: every picture, program, table and result of the
# lab has a page that uses it. docs/pictures.md shows all pictures, so it does not
# count for one; docs/results/README.md counts for a program alone.
set -u
. tools/count.sh

for page in "$@"; do
    case $page in
    docs/pictures.md | docs/results/README.md) cat "$page" >>"$tmp/lists" ;;
    *) cat "$page" >>"$tmp/pages" ;;
    esac
done

for picture in docs/plots/*.svg; do
    grep -q "plots/${picture##*/}" "$tmp/pages"
    count $? "$picture: no page shows it"
done
for script in docs/lab/*.gp; do
    name=$(basename "$script" .gp)
    grep -q "plots/${name}[_.]" "$tmp/pages"
    count $? "$script: no page shows what it draws"
done
for program in $(grep -l '^int main' docs/lab/*.c | grep -v /test_); do
    name=$(basename "$program" .c)
    cat "$tmp/pages" "$tmp/lists" |
        grep -qE "(lab[/-]|make (assurance-)?)$name\b"
    count $? "$program: no page has it"
done
for table in $(python3 docs/lab/tables.py 2>&1 | sed 's/.*of: //; s/[,)]//g'); do
    grep -q "tables.py $table\b" "$tmp/pages"
    count $? "docs/lab/tables.py $table: no page has it"
done
for result in docs/results/*.t*; do
    name=$(basename "${result%.*}")
    [ -e "docs/lab/$name.gp" ] || grep -q "\"$name\"" docs/lab/tables.py ||
        grep -qE "results/$name\b|tables.py changed $name" "$tmp/pages"
    count $? "$result: no page shows it"
done
finish "give it a page, or delete it"
