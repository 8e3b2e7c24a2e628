#!/bin/sh
# tools/check_exercises.sh CHAPTER/exercise/NAME...: checks the exercises.
#   - A skeleton compiles without a warning, and fails by assertion.
#   - A solution passes.
#   - A mistake of mistakes.diff (tools/wrong.sh) compiles and fails. The first claim
#     that fails prints the message of this mistake, which no other mistake has. An
#     endless loop is stopped after 5 s.
#   - The output that a student reads is no wider than 80 columns.
# The Makefile sets the variables of tools/exercise_lib.sh.
set -u
. tools/tally.sh
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

# try FILE: tests a file as a student does. Sets ended (the status); the tests' output
# is in $out/log. False if the compiler prints a warning, or a line is too long.
try() {
    sh tools/exercise.sh test "$chapter" "$name" "$1" >"$out/printed" 2>&1
    ended=$?
    sed "s|$1|work/${chapter%%_*}/$name.$kind|" "$out/printed" >"$out/read"
    cat "$out/read"
    [ ! -s "$out/test.build" ] && not grep '.\{81\}' "$out/read"
}

skeleton() {
    try "$1" && [ "$ended" -eq 1 ] && grep -q '^\[ *FAILED *\]' "$out/log" &&
        not grep 'exception:' "$out/log"
}

solution() {
    try "$1" && [ "$ended" -eq 0 ] && grep '^\[ *OK \]' "$out/log"
}

wrong() {
    sh tools/wrong.sh "$chapter" "$name" "$1" >"$out/$1.$kind" || return
    message=$(sed -n 's|^/\* message: \(.*\) \*/$|\1|p; 3q' "$out/$1.$kind")
    grep -q '^/\* wrong: .* \*/$' "$out/$1.$kind" && [ "$message" ] || return
    try "$out/$1.$kind" && [ "$ended" -ne 0 ] &&
        sed '/^\[ *FAILED *\]/q' "$out/log" | grep -F -e "$message" &&
        [ "$(mistakes_of "$exercise" | grep -cxF -e "# says: $message")" -eq 1 ]
}

hints() {
    hints_of "$exercise" | grep '^### ' &&
        hints_of "$exercise" | grep '^[1-9][0-9]* minutes: .*\.$'
}
few_mistakes() {
    [ "$(sh tools/wrong.sh "$chapter" "$name" | wc -l)" -le 4 ]
}

# Several exercises run in parallel, each by this script; `make check` adds up the
# counts. Timed exercises run at the end, one at a time.
: "${1:?no such exercise}"
if [ $# -gt 1 ]; then
    timed=
    for exercise; do
        shift
        if is_timed "$exercise"; then
            timed="$timed $exercise"
        else
            set -- "$@" "$exercise"
        fi
    done
    status=0
    printf '%s\n' "$@" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN || echo 2)" \
        sh "$0" || status=$?
    for exercise in $timed; do
        sh "$0" "$exercise" || status=$?
    done
    exit $status
fi
chapter=${1%%/*}
find_exercise "$chapter" "${1##*/}" || exit
out=$BUILD/$1
mkdir -p "$out"
answer=$exercise/solution/$name.$kind
must "$exercise/$name.$kind: must fail, by assertion" skeleton \
    "$exercise/$name.$kind"
must "$answer: must pass" solution "$answer"
for mistake in $(sh tools/wrong.sh "$chapter" "$name" | cut -f 1); do
    must "$chapter/exercise/mistakes.diff: $name $mistake needs a line on what is \
wrong, and its own message, which the first failed test must print" wrong "$mistake"
done
must "$name has at most four mistakes in mistakes.diff" few_mistakes
must "$chapter/exercise/hints.md: $name needs hints, each under a ### heading, \
and a line 'N minutes: ...'" hints
echo "$exercise:"
finish "read CONTRIBUTING.md, An exercise; then make check-exercises E=$name"
