#!/bin/sh
# tools/mass.sh: how much stands around the lesson: lines, bytes and files of
# each room of tools/budget.txt, of every tracked text that is not a page, a
# picture or a result. A room above its budget of lines is marked; it warns, and
# never fails: whoever adds decides what goes.
set -eu
export LC_ALL=C

git ls-files | grep -vE '\.(md|svg|npy)$' | tr '\n' '\0' | xargs -0 wc -lc |
    cat tools/budget.txt - | awk '
/^#/ { next }
NF == 2 {
    budget[$1] = $2
    order[++rooms] = $1
}
NF == 3 && $3 != "total" {
    # The innermost room that has a line of its own.
    room = $3
    while (sub(/\/[^\/]*$/, "", room) && !(room in budget))
        ;
    if (!(room in budget))
        room = "."
    add(room)
    if (room != "docs/results")
        add("all")
}
function add(room) {
    lines[room] += $1
    bytes[room] += $2
    files[room]++
}
function row(room,    over) {
    over = lines[room] > budget[room] ? "  over" : ""
    printf "%-24s %7d %7d %9d %6d%s\n", room, budget[room], lines[room],
        bytes[room], files[room], over
}
END {
    print "room                      budget   lines     bytes  files"
    for (k = 1; k <= rooms; k++)
        row(order[k])
}'
