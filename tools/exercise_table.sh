#!/bin/sh
# tools/exercise_table.sh [CHAPTER]: prints a Markdown table of the exercises of one
# chapter, or of all chapters, in the order of tools/exercises.txt.
set -eu
. tools/environment.sh
. tools/exercise_lib.sh

echo "| \`make exercise-NN E=NAME\` | minutes | task | what it teaches |"
echo "|---|---|---|---|"
for chapter in ${1:-0[1-7]_*}; do
    for name in $(exercises_of "$chapter"); do
        hints=$(hints_of "$chapter/exercise/$name")
        echo "| \`exercise-${chapter%%_*} E=$name\` |" \
            "$(echo "$hints" | sed -n 's/^\([0-9]*\) minutes: .*/\1/p') |" \
            "$(sed -n 's/^ \* Exercise[^:]*: *//p' \
                "$chapter/exercise/$name/$name.h" |
                sed 's@\.$@@; 1q') |" \
            "$(echo "$hints" | sed -n 's/^[0-9]* minutes: \(.*\)\.$/\1/p') |"
    done
done
