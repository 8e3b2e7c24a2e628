#!/bin/sh
# tools/book/spell.sh PAGE...: every word of the pages' text is English, as it
# is spelt in Britain, or stands in docs/words.txt. Code, formulas, links'
# targets and names with digits or underscores are not words.
set -u
LC_ALL=C.UTF-8
export LC_ALL

words=docs/words.txt
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0

# What is left to read of a page.
prose() {
    awk '
        /^ *(```|~~~)/ { fence = !fence; next }
        /^\$\$/ && !/^\$\$.*\$\$$/ { display = !display; next }
        fence || display || /^    [^ ]/ { next }
        {
            gsub(/<!--.*-->/, ""); gsub(/<\/?[a-z][^>]*>/, ""); gsub(/\$\$[^$]*\$\$/, "")
            gsub(/`[^`]*`/, ""); line = line $0 "\n"
        }
        END {
            gsub(/\$[^$]*\$/, " ", line)
            gsub(/`[^`]*`/, " ", line)
            gsub(/\]\([^)]*\)/, " ", line)
            gsub(/https?:[^ )]*/, " ", line)
            gsub(/[[:alnum:]_.\/-]*[0-9_\/][[:alnum:]_.\/-]*/, " ", line)
            print line
        }' "$1"
}

grep -v '^#' "$words" | sort -u >"$tmp/known"
for page in "$@"; do
    prose "$page" | aspell list --lang=en_GB --encoding=utf-8 --ignore=2 |
        sed "s/'s\$//; s/’s\$//" | sort -u | grep -vxF -f "$tmp/known" \
            >"$tmp/unknown"
    if [ -s "$tmp/unknown" ]; then
        failed=$((failed + 1))
        echo "$page: $(tr '\n' ' ' <"$tmp/unknown")"
    else
        passed=$((passed + 1))
    fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && exit 0
echo "next: mend the word, or add it to $words"
exit 1
