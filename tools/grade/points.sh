#!/bin/sh
# tools/grade/points.sh: the table of docs/instructor.md: what gives points.
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

# claims WHAT: the exercise's claims of that kind, as code.
claims() {
    # shellcheck disable=SC2016 # the backticks are text
    settings_of "$exercise" | sed -n 's/^'"$1"': \(.*\)/ `\1`/p' | tr -d '\n'
}
echo "| exercise | points | counted | without points |"
echo "|---|---|---|---|"
for chapter in 0[1-7]_*; do
    for name in $(exercises_of "$chapter"); do
        exercise=$chapter/exercise/$name
        points=$(settings_of "$exercise" | sed -n 's/^points: //p')
        [ -z "$(settings_of "$exercise")" ] || echo "| ${chapter%%_*} \`$name\` |" \
            "${points:-10} |$(claims counted) |$(claims 'no points') |"
    done
done
