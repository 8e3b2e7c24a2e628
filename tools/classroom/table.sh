#!/bin/sh
# tools/classroom/table.sh points|mistakes: of all exercises, from their folders,
# a table for docs/instructor.md.
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

[ "$1" != points ] || {
    echo "| | exercise | asks for | points | claims | held already | without points |"
    echo "|---|---|---|---|---|---|---|"
}
for it in 0[1-7]_*/exercise/*/; do
    name=$(basename "$it")
    if [ "$1" = mistakes ]; then
        printf '\n**%s %s**\n\n| mistake | message |\n|---|---|\n' "${it%%_*}" "$name"
        awk '/^# / {
            said = sub(/^# says: /, "")
            sub(/^# /, ""); gsub(/\|/, "\\|")
            printf said ? " %s |\n" : "| %s |", $0
        }' "$it"wrong.diff
    elif [ -f "${it}remote.txt" ]; then
        marked() { sed -n "s/.*$1: \([a-zA-Z0-9_]*\).*/$2/p" "${it}remote.txt"; }
        asks=$(sed -n '/^ \* Exercise[^:]*: */,/\. *$\|^ \*$/{
            s/^ \* Exercise[^:]*: *//
            s/^ \* *//
            p
        }' "$it$name.h" | paste -sd' ' - | sed 's/\.\{0,1\} *$//')
        # shellcheck disable=SC2016 # Markdown's, not the shell's
        echo "| ${it%%_*} | \`$name\` | $asks | $( (marked points '\1' && echo 10) |
            sed 1q) | $(claims_of "${it}test_$name.c" | wc -l) |" \
            "$(marked 'the skeleton holds' '\1' | wc -l) |" \
            "$(marked 'counted inside the worker' '`\1`' | paste -sd' ' -) |"
    fi
done
