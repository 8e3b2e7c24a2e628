#!/bin/sh
# tools/book/spell.sh PAGE...: every word of the pages' text is English, as it
# is spelt in Britain, or is in docs/words.txt; and none of docs/turns.txt's
# turns of phrase is among them. Code, formulas, links' targets and names with
# digits or underscores are not words.
set -u
LC_ALL=C.UTF-8
export LC_ALL

words=docs/words.txt
turns=docs/turns.txt
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
            gsub(/<!--.*-->/, ""); gsub(/<code>[^<]*<\/code>/, "")
            gsub(/<\/?[a-z][^>]*>/, ""); gsub(/\$\$[^$]*\$\$/, "")
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

unknown() {
    aspell list --lang=en_GB --encoding=utf-8 --ignore=2
}

sed '/^#/d; /^$/d; s/  *|.*//' "$turns" >"$tmp/turns"
grep -v '^#' "$words" | sort -u >"$tmp/known"
for page in "$@"; do
    prose "$page" >"$tmp/prose"
    {
        unknown <"$tmp/prose" | sed "s/'s\$//; s/’s\$//" | unknown | sort -u |
            grep -vxF -f "$tmp/known"
        tr '\n' ' ' <"$tmp/prose" | grep -oiwE -f "$tmp/turns"
    } >"$tmp/unknown"
    if [ -s "$tmp/unknown" ]; then
        failed=$((failed + 1))
        echo "$page: $(tr '\n' ',' <"$tmp/unknown" | sed 's/,$//; s/,/, /g')"
    else
        passed=$((passed + 1))
    fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && exit 0
echo "next: use another word, or add it to $words (turns: $turns)"
exit 1
