#!/bin/sh
# tools/grade/points.sh: prints the points of each exercise for docs/grading.md.
set -eu
. tools/environment.sh
. tools/exercise_lib.sh

for chapter in 0[1-7]_*; do
    for name in $(exercises_of "$chapter"); do
        settings_of "$chapter/exercise/$name" |
            awk -v row="${chapter%%_*} \`$name\`" '
                # Adds a name to a list that begins with a title.
                function with(list, title, name) {
                    return (list ? list "," : " " title) " `" name "`"
                }
                sub(/^points: /, "") { points = $0 }
                sub(/^counted: /, "") { counted = with(counted, "Counted:", $0) }
                sub(/^no points: /, "") { free = with(free, "Without points:", $0) }
                sub(/^race: /, "") { race = " A race costs " $0 " points." }
                sub(/^worth /, "") {
                    sub(/:/, "", $1)
                    own = with(own, "With their own points:", $2) " (" $1 ")"
                }
                END {
                    if (NR)
                        print "- **" row "**, " (points ? points : 10) " points." \
                            counted (counted ? "." : "") own (own ? "." : "") \
                            free (free ? "." : "") race
                }'
    done
done
