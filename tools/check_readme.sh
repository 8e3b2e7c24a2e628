#!/bin/sh
# tools/check_readme.sh PAGE...: the commands that a page tells its reader to
# type do what they should: each line of a ```sh fence is run, in order, and
# must succeed. Left out, but for a look whether the targets exist: exercises
# (they write to work/, and fail until solved) and `make check` itself.
# What shall not be run stands in a ```console or ```text fence.
set -u
. tools/count.sh

awk '
    /^```/ { inside = /^```sh$/; next }
    inside && !/^ *(#|$)/ {
        sub(/ +# .*/, "")
        goes_on = sub(/ *\\$/, "") # a command of several lines
        printf "%s%s", $0, goes_on ? "" : "\n"
    }' "$@" >"$tmp/commands"

while read -r line; do
    command=$line
    case $line in
    "git clone "* | "cd "*) continue ;;
    "make exercise-"* | "make hint-"* | "make check" | "make clean")
        command="make -n ${line#make }"
        ;;
    esac
    must "$line" sh -c "$command" </dev/null
done <"$tmp/commands"
finish "type the command that is named above"
