#!/bin/sh
# tools/check_readme.sh PAGE...: runs each line of the pages' ```sh fences, in order.
# All lines must succeed. Of `make exercise-NN` and `make hint-NN` the script checks only
# that the target exists: they write to work/, and an unsolved exercise fails. Commands
# that must not run are in ```console or ```text fences.
set -u
. tools/tally.sh

awk '
    /^```/ { inside = /^```sh$/; next }
    inside && !/^ *(#|$)/ {
        sub(/ +# .*/, "")
        goes_on = sub(/ *\\$/, "") # the command continues on the next line
        printf "%s%s", $0, goes_on ? "" : "\n"
    }' "$@" >"$tmp/commands"

while read -r line; do
    command=$line
    case $line in
    "make exercise-"* | "make hint-"*) command="make -n ${line#make }" ;;
    esac
    must "$line" sh -c "$command" </dev/null
done <"$tmp/commands"
finish "run the failed command by hand"
