#!/bin/sh
# tools/classroom/table.sh points|mistakes: of all exercises, from their folders,
# a table for docs/instructor.md.
set -eu
export LC_ALL=C

case $1 in
points)
    echo "| | exercise | asks for | points | claims | held already | without points |"
    echo "|---|---|---|---|---|---|---|"
    for it in 0[1-7]_*/exercise/*/; do
        name=$(basename "$it")
        remote=${it}remote.c
        [ -f "$remote" ] || continue
        of=$(sed -n 's/.*points: \([0-9]*\).*/\1/p' "$remote")
        asks=$(sed -n '/^ \* Exercise[^:]*: */,/\. *$\|^ \*$/{
            s/^ \* Exercise[^:]*: *//
            s/^ \* *//
            p
        }' "$it$name.h" | paste -sd' ' - | sed 's/\.\{0,1\} *$//')
        # shellcheck disable=SC2016 # Markdown's, not the shell's
        echo "| ${it%%_*} | \`$name\` | $asks | ${of:-10} |" \
            "$(grep -c cmocka_unit_test "${it}test_$name.c") |" \
            "$(grep -c 'the skeleton holds: ' "$remote") |" "$(sed -n \
                's/.*counted inside the worker: \([a-zA-Z0-9_]*\).*/`\1`/p' \
                "$remote" | paste -sd' ' -) |"
    done
    ;;
mistakes)
    for it in 0[1-7]_*/exercise/*/; do
        name=$(basename "$it")
        echo
        echo "**${it%%_*} $name**"
        echo
        echo "| mistake | message |"
        echo "|---|---|"
        for wrong in "$it"wrong/*; do
            awk '/^\/\* (wrong|message): / {
                sub(/^\/\* [a-z]*: /, ""); sub(/ \*\/$/, ""); gsub(/\|/, "\\|")
                text[n++] = $0
            }
            END { printf "| %s | %s |\n", text[0], text[1] }' "$wrong"
        done
    done
    ;;
esac
