#!/bin/sh
# tools/spell.sh PAGE...: every word of the pages' text is English, as it
# is spelt in Britain, or is in docs/words.txt; and none of docs/turns.txt's
# turns of phrase is among them. Code, formulas, links' targets and names with
# digits or underscores are not words.
set -u
. tools/tally.sh
export LC_ALL=C.UTF-8

words=docs/words.txt
turns=docs/turns.txt

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
grep -v '^#' "$words" | tr ' ' '\n' | sort -u >"$tmp/known"
for page in "$@"; do
    prose "$page" >"$tmp/prose"
    {
        unknown <"$tmp/prose" | sed "s/'s\$//; s/’s\$//" | unknown | sort -u |
            grep -vxF -f "$tmp/known"
        tr '\n' ' ' <"$tmp/prose" | grep -oiwE -f "$tmp/turns"
    } >"$tmp/unknown"
    not [ -s "$tmp/unknown" ]
    count $? "$page: $(paste -sd , "$tmp/unknown" | sed 's/,/, /g')"
done
finish "use another word, or add it to $words (turns: $turns)"
