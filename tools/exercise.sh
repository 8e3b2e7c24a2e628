#!/bin/sh
# A chapter's exercises: NN_chapter/exercise/NAME/ holds NAME.h (the task),
# NAME.c (the skeleton), test_NAME.c and solution/NAME.c; in CUDA all but the
# tests are .cu, and launch.cu launches the kernel. NN_chapter/exercise/ has
# hints.md and mistakes.diff. NAME may be '' where one is unsolved, or was last
# worked at.
#
#   tools/exercise.sh COMMAND CHAPTER NAME [FILE]
#   tools/exercise.sh progress CHAPTER...
#
# COMMAND: exercise, watch, grade, hint, solution or reset, as in make's help;
# and test, which is grade without a judge. The Makefile sets what
# exercise_lib.sh needs.
set -u
# shellcheck source=tools/environment.sh
. tools/environment.sh
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

# What the tests said, without CMocka's ceremony: a line for each test, and
# before a failed one why it failed. One without an end crashed or hung; false
# unless all tests came to their end.
told() {
    awk '
        /^\[=+\]/ {
            if (n++) # the second begins the last list
                exit
            sub(/.*Running /, "")
            left = $1
            next
        }
        /^\[ +RUN /       { running = $4; left--; why = 0; next }
        /^\[ +OK \]/      { print "  ok      " $4; running = ""; ok++; next }
        /^\[ +FAILED +\]/ { print "  FAILED  " $4; running = ""; next }
        {
            why = 1
            gsub(/-nan/, "nan") # whose sign means nothing
            while (sub(/^(\[ +(ERROR|LINE) +\] --- |ERROR: )/, "")) ;
            sub(/: error: Failure!$/, "")
            sub(/^Test failed with exception: /, "it crashed: ")
            if (index(said, $0 ":") == 1) next # the place, once more
            said = $0
            print "    " $0
        }
        END {
            if (running && !why)
                print "    the program ended in it"
            if (running)
                print "  FAILED  " running
            if (running && left > 0)
                print "  (" left " more did not run)"
            exit running || !ok
        }
    ' "$1"
}

# The chapter's next exercise, or the next chapter.
what_follows() {
    left=" $names "
    left=${left#*" $name "}
    next=$(printf '%s\n' 0[1-7]_*/main.c |
        sed -n "/^${number}_/{n; s/_.*/ \&\& .\/run/; s/^/chapter-/p;}")
    [ -z "$left" ] || next="exercise-$number E=${left%% *}"
    echo "make ${next:-tour}"
}

# shortened: of more than 200 lines, the first and the last.
shortened() {
    awk '
        { line[NR] = $0 }
        END {
            for (k = 1; k <= NR; k++)
                if (NR <= 200 || k < 150 || k > NR - 50)
                    print line[k]
                else if (k == 150)
                    print "  (" NR - 199 " lines are left out)"
        }'
}

# ends FILE AGAIN HOW: tells it, and how to go on. HOW: passed, or why not.
ends() {
    if [ "$3" = passed ]; then
        echo "$(shown "$1"): all tests passed"
        echo "next: $(what_follows)"
        exit 0
    fi
    echo "$(shown "$1"): $3"
    echo "next: make hint-$which, or edit it and $2"
    exit 1
}

# test_file FILE AGAIN: builds and tests it; AGAIN: how to do it once more.
test_file() {
    out=$BUILD/$chapter/exercise/$name
    if ! build "$1" "$out/test" -Wno-error 2>/dev/null; then
        complaint "$out/test.build" | fitted | shortened
        ends "$1" "$2" "does not compile"
    fi
    # What the compiler warned about is often the mistake.
    fitted <"$out/test.build" | shortened
    grep -q sanitize "$BUILD/sanitizers" || echo "(this compiler has no" \
        "sanitizers: reading beyond an array may pass here)"
    # So many seconds for each test (common/testing/run_tests.h).
    # shellcheck disable=SC2086 # several words
    cleanly $careful LIMIT_KB=1000 sh tools/limit.sh "${SECONDS_A_TEST:-5}" "$out/test" \
        >"$out/said" 2>&1
    status=$?
    sh tools/limit.sh 5 awk -v file="$1" -v text="$1" -f tools/mistakes.awk \
        "$out/said" >"$out/log" || cp "$out/said" "$out/log"
    [ "$status" -le 128 ] || ! cmp -s "$out/said" "$out/log" ||
        echo "it crashed (SIG$(kill -l "$status"))" >>"$out/log"
    told "$out/log" >"$out/told" || status=1
    fitted <"$out/told" | shortened
    [ "$status" -ne 0 ] || ends "$1" "$2" passed
    ends "$1" "$2" "not yet"
}

# solves: does the learner's copy pass?
solves() {
    [ -e "$copy" ] && (test_file "$copy" "") >/dev/null 2>&1
}

# judge_file FILE AGAIN: the same tests, by a judge that the file's code cannot
# reach (tools/grade). The first line of its output names the sandbox.
judge_file() {
    said=$(/usr/bin/python3 -BEs tools/grade/grade.py "$BUILD/grade" \
        "${number}_$name" "$1") || exit
    printf '%s\n' "$said" | sed 2d | fitted
    ends "$1" "$2" "$(printf '%s\n' "$said" | sed \
        '1d; s/^[^ ]* [^ ]* //; s/^failed$/not yet/; 2q')"
}

command=$1
chapter=$2
number=${chapter%%_*}

# take NAME: also sets copy, the learner's, and which, as make calls it.
take() {
    find_exercise "$chapter" "$1" || exit 2
    copy=work/$number/$name.$kind
    which="$number E=$name"
}

# how_far: each exercise of the chapter, and below it what it asks for.
how_far() {
    for one in $(exercises_of "$chapter"); do
        take "$one"
        state="not begun"
        [ ! -e "$copy" ] || state="not yet"
        ! solves || state=solved
        printf '  %-10s E=%s\n             %s\n' "$state" "$name" "$(sed -n \
            's/^ \* Exercise[^:]*: *//p' "$exercise/$name.h" | sed 1q)"
    done
}

if [ "$command" = progress ]; then
    shift
    for chapter; do
        number=${chapter%%_*}
        echo "$chapter"
        how_far
    done | awk '
        { print }
        /^0/ { number = substr($0, 1, 2) }
        /^  not / && !next_one { next_one = number " " $3 }
        /^  (solved|not) / { all++; solved += $1 == "solved" }
        END {
            for (n = 1; n <= 30; n++)
                bar = bar (all && n <= 30 * solved / all ? "#" : "-")
            printf "[%s] %d of %d solved\n", bar, solved, all
            print "next: make " (next_one ? "exercise-" next_one : "tour")
        }'
    exit
fi

# Without a name the exercise is that of the file's name, or the last one. A
# command that removes a student's work asks first.
asked=${3-}
file=${4-}
names=$(exercises_of "$chapter")
if [ "$command" = grade ] && [ ! -f "$file" ]; then
    echo "grade-$number: ${file:+FILE=$(shown "$file"): no such file; }make" \
        "grade-$number FILE=my.c" >&2
    exit 2
fi
case $asked:$command in
:exercise)
    table=$(how_far)
    # shellcheck disable=SC2046 # names
    set -- $(printf '%s\n' "$table" | awk '/^  not / { print substr($3, 3) }')
    if [ $# -ne 1 ]; then
        printf '%s\n' "$table"
        name=${names##* }
        echo "next: ${1:+make exercise-$number E=}${1:-$(what_follows)}"
        exit 0
    fi
    asked=$1
    ;;
:grade)
    asked=${file##*/}
    asked=${asked%.*}
    case " $names " in *" $asked "*) ;; *) asked= ;; esac
    ;;
:reset) ;;
:*)
    # shellcheck disable=SC2012 # names of exercises, which are plain
    asked=$(ls -t "work/$number" 2>/dev/null | sed -n 's/\.cu*$//p' | sed 1q)
    ;;
esac
take "$asked"

case $command in
exercise | watch)
    if [ ! -e "$copy" ]; then
        sh tools/require.sh "work/$number" &&
            cp "$exercise/$name.$kind" "$copy" || exit 1
        echo "$copy: a copy of the skeleton, yours to edit"
        echo "the task is in $exercise/$name.h"
    fi
    [ "$command" = watch ] || test_file "$copy" "run this again"
    seen=
    while now=$(cksum <"$copy"); do
        [ "$now" = "$seen" ] ||
            ! (test_file "$copy" "save it (Ctrl-C ends)") || exit 0
        seen=$now
        sleep 1
    done
    ;;
test) test_file "$file" "run this again" ;;
grade)
    if [ -z "$(settings_of "$exercise")" ]; then
        echo "E=$name: has no judge, and so no grade; what is yours is tested" \
            "by make exercise-$which" >&2
        exit 2
    fi
    if [ "${TRUST:-}" ]; then
        echo "TRUST=1: nothing is guarded; only time and output are limited"
        test_file "$file" "run this again"
    fi
    judge_file "$file" "run this again"
    ;;
solution)
    if [ "${FORCE:-}" ] || solves; then
        cat "$exercise/solution/$name.$kind" 2>/dev/null ||
            echo "There are no solutions here; ask who handed this out." >&2
        echo "next: $(what_follows)"
        exit 0
    fi
    echo "$copy does not pass yet; FORCE=1 shows the solution all the same" >&2
    echo "next: make hint-$which" >&2
    exit 1
    ;;
reset)
    [ -e "$copy" ] || { echo "$copy: no such file" >&2; exit 1; }
    kept=1
    while [ -e "$copy.$kept" ]; do
        kept=$((kept + 1))
    done
    mv "$copy" "$copy.$kept" && cp "$exercise/$name.$kind" "$copy" || exit 1
    rm -f "work/$number/$name.hints"
    echo "$copy: the skeleton again; what you had is $copy.$kept"
    echo "next: make exercise-$which"
    ;;
hint)
    # A hint begins at a heading. How many were shown is remembered.
    seen=work/$number/$name.hints
    count=$(hints_of "$exercise" | grep -c '^### ')
    sh tools/require.sh "work/$number" || exit 1
    shown=$(cat "$seen" 2>/dev/null || echo 0)
    this=${N:-$((shown + 1))}
    case $this in *[!0-9]* | 0* | ?????*) this=$((count + 1)) ;; esac
    if [ "$this" -gt "$count" ]; then
        [ -z "${N:-}" ] ||
            { echo "N=$N: there are hints 1 to $count" >&2; exit 2; }
        echo "That was the last hint. All of them are in"
        echo "${exercise%/*}/hints.md"
        echo "next: make exercise-$which (or solution-$number with FORCE=1)"
        exit 0
    fi
    [ "$this" -lt "$shown" ] || shown=$this
    echo "$shown" >"$seen"
    hints_of "$exercise" | awk -v want="$this" '/^### / { n++ } n == want'
    left=", or this again ($((count - shown)) left)"
    [ "$shown" -lt "$count" ] || left=" (this was the last hint)"
    echo "next: make exercise-$which$left"
    ;;
esac
