#!/bin/sh
# tools/grade/test/class.sh MADE N: grades a class of N in chapter 03, among them
# a few hostile ones; again, killed in the middle and run on; and once more,
# with nothing left to do. All three give the same csv.
set -u
. tools/count.sh

made=$1
n=$2
chapter=03_online_softmax/exercise

# mistake EXERCISE N: its Nth, or the last, as a file.
mistake() {
    which=$(sh tools/wrong.sh 03_online_softmax "$1" | cut -f 1 | head -n "$2" |
        tail -n 1)
    sh tools/wrong.sh 03_online_softmax "$1" "$which"
}

# Student k has a folder of an odd name, and of each exercise the solution, a
# mistake, or nothing.
for k in $(seq "$n"); do
    folder="$tmp/class/st \$u'd\"ent $k"
    mkdir -p "$folder"
    for exercise in "$chapter"/*/; do
        [ $((k % 5)) -ne 0 ] || continue
        case $((k % 5)) in
        1 | 2) cat "$exercise"solution/* ;;
        *) mistake "$(basename "$exercise")" $((k % 4 + 1)) ;;
        esac >"$folder/$(basename "$exercise").c"
    done
    [ $((k % 20)) -ne 7 ] || printf '%s\n' 'int main(void) { for (;;) ; }' \
        '#include "merge_parts.h"' 'part merge_parts(part a, part b)' \
        '{ (void)b; for (volatile int i = 0;; i++) ; return a; }' \
        >"$folder/merge_parts.c"
    [ $((k % 20)) -ne 5 ] || cp "$chapter/top_score/solution/top_score.c" \
        "$folder/my_top_score.c"
    [ $((k % 20)) -ne 8 ] || ln -sf /etc/passwd "$folder/merge_parts.c"
done

class() {
    exec env CHAPTER=03 sh tools/classroom/grade.sh "$made" "$tmp/class" \
        "$tmp/$1.csv" >>"$tmp/said" 2>&1
}

begun=$(date +%s)
(class whole)
count $? "a class is graded"
took=$(($(date +%s) - begun))
all=$tmp/whole.d/exercises.csv
must "a row for each student" test "$(grep -c '^"' "$tmp/whole.csv")" -eq "$n"
must "who solved all has all points" \
    grep -q ' 1",30.0,30,3,3,3$' "$tmp/whole.csv"
must "and who handed nothing in has none" \
    grep -q ' 5",0.0,30,0,0,3$' "$tmp/whole.csv"
must "a row for each student and exercise" \
    test "$(grep -c '^"' "$all")" -eq $((3 * n))
must "a solution has its points" grep -q ',top_score,10.0,10,passed$' "$all"
must "a mistake has not" not grep ',10.0,10,failed$' "$all"
must "a file of another name is named" \
    grep -q ' 5: my_top_score.c: not graded' "$tmp/said"
must "to the student too" grep -qx my_top_score.c "$tmp"/whole.d/*.03_top_score
must "no progress bar in a pipe" not grep '#' "$tmp/said"

class again &
sleep $((took / 2 + 1))
kill -TERM $! 2>/dev/null
wait $!
must "stopped in the middle it leaves no csv" test ! -e "$tmp/again.csv"
(class again)
must "run on, it gives the same csv" diff "$tmp/whole.csv" "$tmp/again.csv"
begun=$(date +%s)
(class again)
must "and once more" diff "$tmp/whole.csv" "$tmp/again.csv"
must "with nothing to do" \
    test $(($(date +%s) - begun)) -le $((took / 2 + 2))

echo "a class of $n: $took s"
finish
