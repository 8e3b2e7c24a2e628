#!/bin/sh
# tools/grade/points.sh: prints the table of points for docs/instructor.md.
set -eu
. tools/environment.sh
. tools/exercise_lib.sh

echo "| exercise | points | counted | its own points | without points |"
echo "|---|---|---|---|---|"
for chapter in 0[1-7]_*; do
    for name in $(exercises_of "$chapter"); do
        settings_of "$chapter/exercise/$name" |
            awk -v row="${chapter%%_*} \`$name\`" '
                sub(/^points: /, "") { points = $0 }
                sub(/^counted: /, "") { counted = counted " `" $0 "`" }
                sub(/^no points: /, "") { free = free " `" $0 "`" }
                sub(/^worth /, "") {
                    sub(/:/, "", $1)
                    own = own " `" $2 "` " $1
                }
                END {
                    if (NR)
                        print "| " row " | " (points ? points : 10) " |" \
                            counted " |" own " |" free " |"
                }'
    done
done
