#!/bin/sh
# tools/check_includes.sh: is the house as tools/rooms.txt says?
#   - no include but those that the table allows: so none upward, and no circle
#   - no two files include each other, in however many steps (a source and its
#     header are one file)
set -u
. tools/count.sh

# shellcheck disable=SC2046 # names without blanks
awk -v edges="$tmp/edges" '
    function wrong(text) { print text; errors++ }
    function folder_of(file) { sub(/\/[^\/]*$/, "", file); return file }
    function unit_of(file) { sub(/\.[a-z]+$/, "", file); return file }

    # The room of a file, for who includes it from a file of chapter c.
    function room_of(file, c,    top, n) {
        top = file
        sub(/\/.*/, "", top)
        n = top + 0
        if (file ~ /\/exercise\//)
            return "exercise"
        if (n >= 1 && n <= 6)
            top = n == c ? "NN" : n < c ? "earlier" : "later"
        if (file ~ /\/(test_[^\/]*|tests\/[^\/]*)$/)
            return top "/tests"
        if (file in kernel)
            return top "/kernels"
        if (file ~ /^0[1-7]_[^\/]*\/[^\/]*\.h$/)
            return top "/*.h"
        sub(/\/include\/emulated\//, "/include/", file)
        file = folder_of(file)
        sub(/^[^\/]*/, top, file)
        return file
    }

    # The file that it means: named from the top of the project, or beside.
    function found(file, name) {
        file = folder_of(file) "/" name
        while (sub(/[^\/]+\/\.\.\//, "", file)) ;
        return name in exists ? name : file in exists ? file : ""
    }

    BEGIN { for (k = 3; k < ARGC; k++) exists[ARGV[k]] }
    FILENAME == ARGV[1] { if (/^0[^ ]*\.c /) kernel[$1]; next }
    FILENAME == ARGV[2] {
        if (/^#/ || !NF)
            next
        above[$1]
        for (k = 3; k <= NF; k++) {
            if ($k !~ /^earlier\// && (!($k in above) || $k == $1))
                wrong($1 " may include " $k ", which is not above it")
            may[$1, $k]
        }
        next
    }
    /^ *# *include "/ {
        split($0, quoted, "\"")
        to = found(FILENAME, quoted[2])
        if (to == "")
            next # made by a program, or an exercise of its own
        c = FILENAME ~ /^[^0]|\/exercise\// ? 8 : FILENAME + 0
        a = room_of(FILENAME, c)
        b = room_of(to, c)
        if (a != b && !((a, b) in may))
            wrong(FILENAME ":" FNR ": " to ": " a " may not include " b)
        print unit_of(FILENAME), unit_of(to) >edges
    }
    END { exit errors > 0 }' tools/steps.txt tools/rooms.txt $(
    find common 0[1-7]_* docs/lab -type f \( -name '*.[ch]' -o \
        -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort)
count $?
tsort "$tmp/edges" 2>&1 >/dev/null | grep .
count $((!$?)) "a circle of files"
finish "include less, or let the room in tools/rooms.txt; then make includes"
