#!/bin/sh
# tools/check_exercises.sh CHAPTER/exercise/NAME...: checks the exercises.
#   - A skeleton fails by an assertion, and a solution passes.
#   - A mistake of mistakes.diff (tools/wrong.sh) compiles and fails. The first test
#     that fails prints the message of this mistake, which no other mistake of the
#     exercise has.
#   - No file causes a warning, or prints a line of more than 80 columns, or "1 keys".
#   - A symbol of a message is in the task or in the skeleton.
#   - The exercise has hints, and at most four mistakes.
# The Makefile sets the variables of tools/exercise_lib.sh.
set -u
. tools/tally.sh
. tools/exercise_lib.sh

# try FILE: tests a file. Sets `ended` to the exit status, and writes the output to
# $out/log. False after a warning, or if a line has more than 80 columns.
try() {
    sh tools/exercise.sh test "$chapter" "$name" "$1" >"$out/printed" 2>&1
    ended=$?
    sed "s|$1|work/${chapter%%_*}/$name.$kind|" "$out/printed" >"$out/read"
    cat "$out/read"
    [ ! -s "$out/test.build" ] && not grep '.\{81\}' "$out/read" &&
        not grep -E '(^ *|[^+ ] |[(])1 (key|score|number|row|read|block|queri?e?)s ' "$out/read"
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

# symbols: true if the task or the skeleton has each symbol of the tests' messages.
symbols() {
    for symbol in $(grep -v '^#' "$exercise/test_$name.c" | grep -o '"[^"]*"' |
        grep -owE 'alpha|beta|[ms]_[a-z]+|d[POQSKV]|D|Tr|Tc' | sort -u); do
        grep -qw "$symbol" "$exercise/$name".* || { echo "$symbol"; return 1; }
    done
}

hints() {
    hints_of "$exercise" | grep '^### ' &&
        hints_of "$exercise" | grep '^[1-9][0-9]* minutes: .*\.$'
}
few_mistakes() {
    [ "$(sh tools/wrong.sh "$chapter" "$name" | wc -l)" -le 4 ]
}

# For several exercises the script starts itself once per exercise, in parallel. Timed
# exercises run at the end, one at a time.
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
must "$exercise/$name.$kind: must fail by an assertion" skeleton \
    "$exercise/$name.$kind"
must "$answer: must pass" solution "$answer"
for mistake in $(sh tools/wrong.sh "$chapter" "$name" | cut -f 1); do
    must "$chapter/exercise/mistakes.diff: $name $mistake needs a line that explains \
the mistake, and a line 'says:' with a message that only its first failed test prints" \
        wrong "$mistake"
done
must "$exercise/test_$name.c: a symbol of a message must be in $name.h" symbols
must "$chapter/exercise/mistakes.diff: $name must have at most four mistakes" few_mistakes
must "$chapter/exercise/hints.md: $name needs hints, each under a ### heading, \
and a line 'N minutes: ...'" hints
echo "$exercise:"
finish "read CONTRIBUTING.md, An exercise; then make check-exercises E=$name"
