#!/bin/sh
# tools/check_readme.sh PAGE...: runs each line of the pages' ```sh fences, in order.
# All must succeed. An exercise writes to work/ and fails until it is solved: there the
# script only checks that the target exists. Commands that must not run are in
# ```console or ```text fences.
set -u
. tools/tally.sh

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
    "make exercise-"* | "make hint-"*) command="make -n ${line#make }" ;;
    esac
    must "$line" sh -c "$command" </dev/null
done <"$tmp/commands"
finish "type the command that is named above"
