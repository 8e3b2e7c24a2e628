#!/bin/sh
# tools/check_exercises.sh CHAPTER/exercise/NAME...: do the exercises keep their
# promise?
#   - a skeleton compiles without a warning and fails, by assertion; it
#     includes every header that the solution and so the hints need
#   - a solution passes, and differs from the skeleton only in functions that
#     have a TODO there
#   - a wrong variant, whose first comments are
#         /* wrong: what is wrong */
#         /* message: text */
#     compiles and fails, and the failure says that text, which no other wrong
#     variant of the exercise has. An endless loop is stopped after 5 s.
# The Makefile sets CC, FLAGS, LIBS and BUILD.
set -u
export LC_ALL=C

# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

passed=0
failed=0

# verdict FILE [REASON]: without a reason it is as it should be.
verdict() {
    if [ $# -eq 1 ]; then
        printf '  ok      %s\n' "$1"
        passed=$((passed + 1))
    else
        [ -f "$log" ] && cat "$log"
        printf '  FAILED  %s: %s\n' "$1" "$2"
        failed=$((failed + 1))
    fi
}

# try FILE: builds and runs it; sets status. False if it doesn't compile.
try() {
    rm -f "$log"
    if ! build "$1" "$out/test" -Werror; then
        verdict "$1" "does not compile"
        return 1
    fi
    sh tools/limit.sh 5 "$out/test" >"$log" 2>&1
    status=$?
}

# field NAME FILE: the text of `/* NAME: text */`.
field() {
    sed -n "s|^/\* $1: \(.*\) \*/\$|\1|p" "$2" | sed 1q
}

# headers_missing FILE: what the solution includes, and FILE doesn't.
headers_missing() {
    grep '^#include' "$exercise/solution/$name.$kind" | grep -vxFf "$1"
}

# not_by_todo SKELETON SOLUTION: what the skeleton has outside the comments, the
# includes and the bodies of functions with a TODO, and the solution has not.
not_by_todo() {
    awk '
        FNR == NR { solution = solution "\n" $0; next }
        FNR == 1 { solution = solution "\n" }
        /^\/\*/ { comment = 1 }
        /TODO/ { todo = todos = 1 }
        comment { comment = !/\*\//; next }
        /^#include/ || (/^$/ && part == "") { next }
        { part = part "\n" $0 }
        /^{/ { head = part }
        /^}/ || (/^[^ ].*;$/ && head == "") {
            if (!index(solution, (todo ? head : part) "\n"))
                print todo ? head : part
            part = head = ""
            todo = 0
        }
        END { print part (todos ? "" : "no TODO") }' "$2" "$1" | grep .
}

check_skeleton() {
    try "$1" || return
    if not_by_todo "$1" "$exercise/solution/$name.$kind"; then
        verdict "$1" "must differ from the solution only at a TODO"
    elif headers_missing "$1"; then
        verdict "$1" "must include that, as the solution does"
    elif [ "$status" -eq 0 ]; then
        verdict "$1" "a skeleton must fail, and it passes"
    elif [ "$status" -ne 1 ]; then
        verdict "$1" "must fail by assertion, not crash or loop ($status)"
    elif ! grep -q '^\[ *FAILED *\]' "$log" || grep -q 'exception:' "$log"; then
        verdict "$1" "must fail by assertion, not by an exception"
    else
        verdict "$1"
    fi
}

check_solution() {
    try "$1" || return
    if [ "$status" -eq 0 ] && grep -q '^\[ *OK \]' "$log"; then
        verdict "$1"
    else
        verdict "$1" "the solution must pass"
    fi
}

check_wrong() {
    message=$(field message "$1")
    same=$(grep -lF "/* message: $message */" "$exercise"/wrong/*."$kind" |
        wc -l)
    rm -f "$log"
    if [ -z "$(field wrong "$1")" ] || [ -z "$message" ]; then
        verdict "$1" "needs the lines /* wrong: ... */ and /* message: ... */"
    elif [ "$same" -ne 1 ]; then
        verdict "$1" "its message is also another variant's: $message"
    elif ! try "$1"; then
        :
    elif [ "$status" -eq 0 ]; then
        verdict "$1" "passes, though it is wrong"
    elif ! grep -qF -- "$message" "$log"; then
        verdict "$1" "fails (exit $status), but does not say: $message"
    else
        verdict "$1"
    fi
}

# check_exercise CHAPTER NAME
check_exercise() {
    find_exercise "$1" "$2" || {
        failed=$((failed + 1))
        return
    }
    out=$BUILD/$1/exercise/$name
    log=$out/log
    check_skeleton "$exercise/$name.$kind"
    check_solution "$exercise/solution/$name.$kind"
    for file in "$exercise"/wrong/*."$kind"; do
        check_wrong "$file"
    done
    if ! grep -q '^## ' "$exercise/hints.md" 2>/dev/null ||
        ! grep -q '^[1-9][0-9]* minutes: .*\.$' "$exercise/hints.md"; then
        rm -f "$log"
        verdict "$exercise/hints.md" \
            "needs hints, each under a ## heading, and a line 'N minutes: ...'"
    fi
}

begun=$(date +%s)
for one in "$@"; do
    check_exercise "${one%%/*}" "${one##*/}"
done
echo "checked in $(($(date +%s) - begun)) s"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
