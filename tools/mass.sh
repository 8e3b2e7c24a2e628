#!/bin/sh
# tools/mass.sh: lines, bytes and files of each room of tools/budget.txt, of every
# tracked text that is not a page, a picture or a result. A room above its budget of
# lines is marked; it warns, and never fails.
set -eu
export LC_ALL=C
git ls-files | grep -vE '\.(md|svg|npy)$|^docs/results/' | tr '\n' '\0' |
    xargs -0 wc -lc | cat tools/budget.txt - | awk '
    /^#/ || $3 == "total" { next }
    NF == 2 { budget[$1] = $2; order[++rooms] = $1; next }
    { # the innermost room that has a line of its own
        for (room = $3; room != "." && !(room in budget);)
            room = room ~ /\// ? substr(room, 1, match(room, /\/[^\/]*$/) - 1) : "."
        lines[room] += $1; bytes[room] += $2; files[room]++
        lines["all"] += $1; bytes["all"] += $2; files["all"]++
    }
    END {
        print "room                      budget   lines     bytes  files"
        for (k = 1; k <= rooms; k++) {
            room = order[k]
            printf "%-24s %7d %7d %9d %6d%s\n", room, budget[room], lines[room],
                bytes[room], files[room], (lines[room] > budget[room] ? "  over" : "")
        }
    }'
