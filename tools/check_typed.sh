#!/bin/sh
# tools/check_typed.sh PAGE...: a program that a page has its reader type,
# build/NAME by itself or after mpirun, is one that `make tour` has made, or a
# `make` that the page has them type before. What Python puts into build/venv is
# Python's.
set -u
. tools/count.sh

# "PAGE GOALS... PROGRAM", of commands that are indented or in a fence for them.
awk '
    FNR == 1 { goals = "programs"; fence = 0 }
    /^```/ { fence = /^```(sh|console)$/; next }
    !fence && !/^    / { next }
    { n = split($0, command, / *(&&|;|[|]|#) */) }
    {
        for (k = 1; k <= n; k++) {
            m = split(command[k], word, " ")
            for (w = 1; w <= m; w++)
                if (word[1] == "make" && word[w] !~ /^make$|[=$]|^-/)
                    goals = goals " " word[w]
                else if (word[w] ~ /^build\// && word[w] !~ /^build\/venv\// &&
                    (w == 1 || word[1] ~ /^(mpirun|sh)$/))
                    print FILENAME, goals, word[w]
        }
    }' "$@" >"$tmp/typed"

while read -r line; do
    program=${line##* }
    goals=${line#* }
    # shellcheck disable=SC2086 # several goals
    ${MAKE:-make} -kn BUILD="$tmp/build" ${goals% *} >"$tmp/made" 2>/dev/null
    must "${line%% *}: $program: no make of the page, nor the tour, makes it" \
        grep -q -- "-o $tmp/$program " "$tmp/made"
done <"$tmp/typed"
finish
