#!/bin/sh
# tools/check_includes.sh: checks the includes of common/, the chapters, tools/ and
# docs/lab.
#   - common/ includes only common/, and common/*.[ch] include only common/*.[ch]
#   - a chapter includes no later chapter, and nothing of docs/ and tools/; chapter 07
#     may include the emulator's public headers in <>, as those of a toolkit
#   - tools/ includes nothing of docs/
#   - a kernel (tools/steps.txt) includes only common/*.h and its own chapter
#   - no file includes itself through other files; a source and its header count as one
set -u
. tools/tally.sh

find common 0[1-7]_* tools docs/lab -name '*.[ch]' -o -name '*.c[pu]*' |
    xargs grep -nE '^ *# *include ("|<(cuda_on_cpu|emulated/))' |
    sed -E 's|<(cuda_on_cpu\.h)>|"tools/emulator/include/\1"|
        s|<(emulated/.*)>|"tools/emulator/cuda_on_cpu/include/\1"|' | awk -F '[:"]' \
    -v kernels="$(awk '/^0/ { print $1 }' tools/steps.txt)" -v edges="$tmp/edges" '
    function unit_of(file) { sub(/\.[a-z]+$/, "", file); return file }
    BEGIN {
        n = split(kernels, list, "\n")
        for (k = 1; k <= n; k++) kernel[list[k]]
        room = "^common/.*/"
    }
    {
        from = $1
        to = $4
        if (to !~ /^(common|docs|tools|0[1-7]_[^\/]*)\//) {
            to = from "/../" to # the path is relative to the including file
            while (sub(/[^\/]+\/\.\.\//, "", to)) ;
        }
        chapter = from + 0 # 0 if the file is in no chapter
        if (from ~ /^common/)
            wrong = to !~ /^common/ || from !~ room && to ~ room
        else if (from in kernel)
            wrong = to ~ room || to !~ /^common/ && to + 0 != chapter
        else
            wrong = chapter && to + 0 > chapter || from !~ /^docs/ && to ~ /^docs/ ||
                chapter && to ~ /^tools/ &&
                !(chapter == 7 && to ~ "^tools/emulator/(cuda_on_cpu/)?include/")
        if (wrong) {
            print from ":" $2 ": may not include " to
            errors++
        }
        print unit_of(from), unit_of(to) >edges
    }
    END { exit errors > 0 || !NR }'
count $?
tsort "$tmp/edges" 2>&1 >/dev/null | grep .
count $((!$?)) "files include each other in a circle"
finish "remove these includes, then make includes"
