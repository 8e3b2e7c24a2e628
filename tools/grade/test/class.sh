#!/bin/sh
# tools/grade/test/class.sh MADE N: grades a class of N in chapter 03, among them
# a few hostile ones; again, killed in the middle and run on; and once more,
# with nothing left to do. All three give the same csv. Ends with `N passed, N
# failed`.
set -u
export LC_ALL=C

made=$1
n=$2
passed=0
failed=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
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

verdict() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        echo "  FAILED  $1"
        failed=$((failed + 1))
    fi
}
class() {
    exec env CHAPTER=03 sh tools/classroom/grade.sh "$made" "$tmp/class" \
        "$tmp/$1.csv" >>"$tmp/log" 2>&1
}

begun=$(date +%s)
(class whole)
verdict "a class is graded" $?
took=$(($(date +%s) - begun))
rows=$(grep -c '^"' "$tmp/whole.csv")
verdict "a row for each student and exercise: $rows" \
    "$([ "$rows" -eq $((3 * n)) ]; echo $?)"
grep -q ',top_score,10.0,10,passed$' "$tmp/whole.csv"
verdict "a solution has all points" $?
! grep -q ',10.0,10,failed$' "$tmp/whole.csv"
verdict "a wrong variant has not" $?
[ ! -s "$tmp/log" ] || ! grep -q '#' "$tmp/log"
verdict "no progress bar in a pipe" $?

class again &
sleep $((took / 2 + 1))
kill -TERM $! 2>/dev/null
wait $!
[ ! -e "$tmp/again.csv" ]
verdict "stopped in the middle it leaves no csv" $?
(class again)
diff "$tmp/whole.csv" "$tmp/again.csv"
verdict "run on, it gives the same csv" $?
begun=$(date +%s)
(class again)
diff "$tmp/whole.csv" "$tmp/again.csv" &&
    [ $(($(date +%s) - begun)) -le $((took / 2 + 2)) ]
verdict "and once more, with nothing to do" $?

echo "a class of $n: $took s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
