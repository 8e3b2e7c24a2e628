#!/bin/sh
# tools/check_readme.sh PAGE...: the commands that a page tells its reader to
# type do what they should: each line of a ```sh fence is run, in order, and
# must succeed. Left out, but for a look whether the targets exist: exercises
# (they write to work/, and fail until solved) and `make check` itself.
# What shall not be run stands in a ```console or ```text fence.
set -u
. tools/count.sh

typed() {
    sh -c "$1" </dev/null
}

awk '
    /^```sh$/ { inside = 1; next }
    /^```/    { inside = 0 }
    inside && !/^ *(#|$)/ {
        sub(/ +# .*/, "")
        goes_on = sub(/ *\\$/, "") # a command of several lines
        command = command $0
        if (goes_on)
            next
        print command
        command = ""
    }' "$@" >"$tmp/commands"

while read -r line; do
    command=$line
    case $line in
    "git clone "* | "cd "*) continue ;;
    "make exercise-"* | "make hint-"* | "make check" | "make clean")
        command="make -n ${line#make }"
        ;;
    esac
    must "$line" typed "$command"
done <"$tmp/commands"
finish
