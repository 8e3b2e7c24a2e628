#!/bin/sh
# tools/grade/test/class.sh MADE N: grades a class of N in chapter 03, among them
# a few hostile ones; again, killed in the middle and run on; and once more,
# with nothing left to do. All three give the same csv. Ends with `N passed, N
# failed`.
set -u
. tools/count.sh

made=$1
n=$2
chapter=03_online_softmax/exercise

# Student k has a folder of an odd name, and of each exercise the solution, a
# wrong variant, or nothing.
k=0
while [ "$k" -lt "$n" ]; do
    k=$((k + 1))
    folder="$tmp/class/st \$u'd\"ent $k"
    mkdir -p "$folder"
    for exercise in "$chapter"/*/; do
        name=$(basename "$exercise")
        case $((k % 5)) in
        0) ;;
        1 | 2) cp "$exercise/solution/$name.c" "$folder/" ;;
        *)
            # shellcheck disable=SC2012 # plain names
            wrong=$(ls "$exercise"wrong/* | sed -n "$((k % 4 + 1))p")
            cp "$wrong" "$folder/$name.c"
            ;;
        esac
    done
    [ $((k % 20)) -ne 7 ] || echo 'int main(void) { for (;;) ; }
#include "merge_parts.h"
part merge_parts(part a, part b) { (void)b; for (volatile int i = 0;; i++) ; return a; }' \
        >"$folder/merge_parts.c"
    [ $((k % 20)) -ne 8 ] || ln -sf /etc/passwd "$folder/merge_parts.c"
done

class() {
    exec env CHAPTER=03 sh tools/classroom/grade.sh "$made" "$tmp/class" \
        "$tmp/$1.csv" >>"$tmp/log" 2>&1
}

begun=$(date +%s)
(class whole)
count $? "a class is graded"
took=$(($(date +%s) - begun))
rows=$(grep -c '^"' "$tmp/whole.csv")
[ "$rows" -eq $((3 * n)) ]
count $? "a row for each student and exercise: $rows"
grep -q ',top_score,10.0,10,passed$' "$tmp/whole.csv"
count $? "a solution has all points"
! grep -q ',10.0,10,failed$' "$tmp/whole.csv"
count $? "a wrong variant has not"
[ ! -s "$tmp/log" ] || ! grep -q '#' "$tmp/log"
count $? "no progress bar in a pipe"

class again &
sleep $((took / 2 + 1))
kill -TERM $! 2>/dev/null
wait $!
[ ! -e "$tmp/again.csv" ]
count $? "stopped in the middle it leaves no csv"
(class again)
diff "$tmp/whole.csv" "$tmp/again.csv"
count $? "run on, it gives the same csv"
begun=$(date +%s)
(class again)
diff "$tmp/whole.csv" "$tmp/again.csv" &&
    [ $(($(date +%s) - begun)) -le $((took / 2 + 2)) ]
count $? "and once more, with nothing to do"

echo "a class of $n: $took s"
finish
