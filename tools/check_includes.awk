# What tools/check_includes.sh says of the files that it is given.

BEGIN {
    while ((getline line <steps) > 0)
        if (split(line, field, " ") && field[1] ~ /^0[1-6]_.*\.c$/)
            kernel[field[1]] = 1
    while ((getline line <table) > 0) {
        if (line ~ /^#/ || split(line, half, / *: */) < 1)
            continue
        room = half[1]
        floor[room] = ++floors
        n = split(half[2], word, " ")
        for (k = 1; k <= n; k++) {
            if (!(word[k] in floor) || word[k] == room)
                wrong(table ": " room " may include " word[k] \
                    ", which is not above it")
            may[room, word[k]] = 1
        }
    }
    for (k = 1; k < ARGC; k++)
        exists[ARGV[k]] = 1
}

function wrong(text)
{
    print text
    errors++
}

function folder_of(file)
{
    sub(/\/[^\/]*$/, "", file)
    return file
}

# The room of a file: its folder, but for tests, exercises, a chapter's kernels
# and the headers at a chapter's door, which all of its rooms may include.
function room_of(file,    top)
{
    top = file
    sub(/\/.*/, "", top)
    if (file ~ /\/exercise\//)
        return "exercise"
    if (file ~ /\/(test_[^\/]*|tests\/[^\/]*)$/)
        return top "/tests"
    if (file in kernel)
        return top "/kernels"
    if (file ~ /^0[1-7]_[^\/]*\/[^\/]*\.h$/)
        return top "/*.h"
    sub(/\/include\/emulated\//, "/include/", file)
    return folder_of(file)
}

# A source and its header.
function unit_of(file)
{
    sub(/\.[a-z]+$/, "", file)
    return file
}

# The file that it means: named from the top of the project, or beside.
function found(file, name,    at)
{
    if (name in exists)
        return name
    at = folder_of(file)
    while (sub(/^\.\.\//, "", name))
        at = folder_of(at)
    name = at "/" name
    if (name in exists)
        return name
    return ""
}

/^ *# *include "/ {
    split($0, quoted, "\"")
    to = found(FILENAME, quoted[2])
    if (to == "")
        next # made by a program, or an exercise's
    a = room_of(FILENAME)
    b = room_of(to)
    if (a != b && !((a, b) in may)) {
        if (!(a in floor))
            wrong(FILENAME ": the room " a " is not in " table)
        else
            wrong(FILENAME ":" FNR ": includes " to ": " a \
                " may not include " b)
    }
    print unit_of(FILENAME), unit_of(to) >edges
}

END { exit errors > 0 }
