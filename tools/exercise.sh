#!/bin/sh
# Runs a command for an exercise. CONTRIBUTING.md lists the files of an exercise.
#
#   tools/exercise.sh COMMAND CHAPTER NAME [FILE]
#   tools/exercise.sh progress CHAPTER...
#
# COMMAND is exercise, watch, grade, hint, solution or reset, as in `make help-all`, or
# test, which is like grade, but without a judge. If NAME is '', exercise uses the only
# unsolved exercise of the chapter, grade that with the name of FILE, and other commands
# the one edited last. reset needs NAME. The Makefile sets exercise_lib.sh's variables.
set -u
. tools/environment.sh
. tools/exercise_lib.sh

# test_results FILE: shortens CMocka's output to a line per test, and messages. A test
# that does not end has crashed or hung. False if a test did not end, or if none passed.
test_results() {
    awk '
        /^\[=+\]/ {
            if (n++) # the second [===] line begins the summary
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
            gsub(/-nan/, "nan") # the sign of a NaN has no meaning
            while (sub(/^(\[ +(ERROR|LINE) +\] --- |ERROR: )/, "")) ;
            sub(/: error: Failure!$/, "")
            sub(/^Test failed with exception: /, "it crashed: ")
            if (index(last, $0 ":") == 1) next # the line before has the same place
            last = $0
            print "    " $0
        }
        END {
            if (running && !why)
                print "    the program ended in this test"
            if (running)
                print "  FAILED  " running
            if (running && left > 0)
                print "  (" left " more tests did not run)"
            exit running || !ok
        }
    ' "$1"
}

# next_target: prints the command for the next exercise or chapter.
next_target() {
    left=" $names "
    left=${left#*" $name "}
    next=$(printf '%s\n' 0[1-7]_*/main.c |
        sed -n "/^${number}_/{n; s/_.*/ \&\& .\/run/; s/^/chapter-/p;}")
    [ -z "$left" ] || next="exercise-$number E=${left%% *}"
    echo "make ${next:-tour}"
}

# shorten: prints stdin. Of more than 200 lines it leaves out the lines in the middle.
shorten() {
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

# finish FILE AGAIN RESULT: prints the result and the next command. AGAIN is the advice
# how to test the file again. Exits with 0 if RESULT is `passed`, else with 1.
finish() {
    if [ "$3" = passed ]; then
        echo "$(printable "$1"): all tests passed"
        echo "next: $(next_target)"
        exit 0
    fi
    echo "$(printable "$1"): $3"
    unsolved "$2"
}

# unsolved AGAIN: prints the next command, and exits with 1.
unsolved() {
    echo "next: make hint-$which"
    echo "  or: edit the file and $1"
    exit 1
}

test_file() {
    out=$BUILD/$chapter/exercise/$name
    if ! build "$1" "$out/test" -Wno-error 2>/dev/null; then
        first_error "$out/test.build" | wrap | shorten
        finish "$1" "$2" "does not compile"
    fi
    wrap <"$out/test.build" | shorten
    grep -q sanitize "$BUILD/sanitizers" || echo "(this compiler has no sanitizers," \
        "so a read beyond an array may not be reported)"
    # Each test has this limit, in seconds (common/testing/run_tests.h).
    # shellcheck disable=SC2086 # several words
    clean_env $sanitizer_options LIMIT_KB=1000 LIMITED="the function" \
        sh tools/limit.sh "${SECONDS_A_TEST:-5}" "$out/test" >"$out/output" 2>&1
    status=$?
    sh tools/limit.sh 5 awk -v file="$1" -v text="$1" -f tools/mistakes.awk \
        "$out/output" >"$out/log" || cp "$out/output" "$out/log"
    [ "$status" -le 128 ] || ! cmp -s "$out/output" "$out/log" ||
        echo "it crashed (SIG$(kill -l "$status"))" >>"$out/log"
    test_results "$out/log" >"$out/results" || status=1
    wrap <"$out/results" | shorten
    [ "$status" -ne 0 ] || finish "$1" "$2" passed
    finish "$1" "$2" "not solved yet"
}

# is_skeleton: true if the learner's file has the code of the skeleton.
is_skeleton() {
    [ "$(code_of "$copy")" = "$(code_of "$exercise/$name.$kind")" ]
}

# test_copy AGAIN: tests the learner's file. The skeleton is tested only if its comment
# has the words "tests first", because it is a whole program with a mistake.
test_copy() {
    if is_skeleton; then
        echo "$copy: ${new:-still the skeleton}; edit this file"
        grep -q 'tests first' "$exercise/$name.$kind" || unsolved "$1"
    fi
    test_file "$copy" "$1"
}

is_solved() {
    [ -e "$copy" ] && ! is_skeleton && (test_file "$copy" "") >/dev/null 2>&1
}

# judge_file FILE AGAIN: like test_file, but the tests run in another process, the
# judge, which the file's code cannot change. First it prints a line about the sandbox.
judge_file() {
    output=$(/usr/bin/python3 -BEs tools/grade/grade.py "$BUILD/grade" \
        "${number}_$name" "$1") || exit
    printf '%s\n' "$output" | sed 2d | wrap
    finish "$1" "$2" "$(printf '%s\n' "$output" | sed \
        '1d; s/^[^ ]* [^ ]* //; s/^failed$/not solved yet/; 2q')"
}

command=$1
chapter=$2
number=${chapter%%_*}

# select_exercise NAME: sets `copy` to the learner's file, and `which` to the exercise
# as in a make command. Exits with 2 if there is no such exercise.
select_exercise() {
    find_exercise "$chapter" "$1" || exit 2
    copy=work/$number/$name.$kind
    which="$number E=$name"
}

# show_states: prints the state and the task of each exercise of the chapter.
show_states() {
    for each in $(exercises_of "$chapter"); do
        select_exercise "$each"
        state="not begun"
        [ ! -e "$copy" ] || is_skeleton || state="not solved"
        ! is_solved || state=solved
        printf '  %-10s E=%s\n             %s\n' "$state" "$name" "$(sed -n \
            's/^ \* Exercise[^:]*: *//p' "$exercise/$name.h" | sed 1q)"
    done
}

if [ "$command" = progress ]; then
    shift
    for chapter; do
        number=${chapter%%_*}
        echo "$chapter"
        show_states
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

requested=${3-}
file=${4-}
names=$(exercises_of "$chapter")
if [ "$command" = grade ] && [ ! -f "$file" ]; then
    echo "grade-$number: ${file:+FILE=$(printable "$file"): no such file; }make" \
        "grade-$number FILE=my.c" >&2
    exit 2
fi
case $requested:$command in
:exercise)
    table=$(show_states)
    # shellcheck disable=SC2046 # must split into names
    set -- $(printf '%s\n' "$table" | awk '/^  not / { print substr($3, 3) }')
    if [ $# -ne 1 ]; then
        printf '%s\n' "$table"
        name=${names##* }
        echo "next: ${1:+make exercise-$number E=}${1:-$(next_target)}"
        exit 0
    fi
    requested=$1
    ;;
:grade)
    requested=${file##*/}
    requested=${requested%.*}
    case " $names " in *" $requested "*) ;; *) requested= ;; esac
    ;;
:reset) ;;
:*)
    # shellcheck disable=SC2012 # names of exercises, without special characters
    requested=$(ls -t "work/$number" 2>/dev/null | sed -n 's/\.cu*$//p' | sed 1q)
    ;;
esac
select_exercise "$requested"

case $command in
exercise | watch)
    new=
    if [ ! -e "$copy" ]; then
        sh tools/require.sh "work/$number" &&
            cp "$exercise/$name.$kind" "$copy" || exit 1
        echo "$exercise/$name.h: describes the task"
        new="copied from the skeleton"
    fi
    [ "$command" = watch ] || test_copy "run this again"
    seen=
    while now=$(cksum <"$copy"); do
        [ "$now" = "$seen" ] ||
            ! (test_copy "save it (Ctrl-C ends)") || exit 0
        seen=$now
        sleep 1
    done
    ;;
test) test_file "$file" "run this again" ;;
grade)
    if [ -z "$(settings_of "$exercise")" ]; then
        echo "E=$name: is not graded; make exercise-$which tests your file" >&2
        exit 2
    fi
    if [ "${TRUST:-}" ]; then
        echo "TRUST=1: runs without a sandbox; only time and output are limited"
        test_file "$file" "run this again"
    fi
    judge_file "$file" "run this again"
    ;;
solution)
    if [ "${FORCE:-}" ] || is_solved; then
        cat "$exercise/solution/$name.$kind" 2>/dev/null ||
            echo "This handout contains no solutions; ask your teacher." >&2
        echo "next: $(next_target)"
        exit 0
    fi
    echo "$copy: does not pass yet; FORCE=1 prints the solution anyway" >&2
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
    echo "$copy: is the skeleton again"
    echo "$copy.$kept: is your old file"
    echo "next: make exercise-$which"
    ;;
hint)
    # Each hint begins with a heading. $seen is a file with the number of hints shown.
    seen=work/$number/$name.hints
    count=$(hints_of "$exercise" | grep -c '^### ')
    sh tools/require.sh "work/$number" || exit 1
    shown=$(cat "$seen" 2>/dev/null || echo 0)
    this=${N:-$((shown + 1))}
    case $this in *[!0-9]* | 0* | ?????*) this=$((count + 1)) ;; esac
    if [ "$this" -gt "$count" ]; then
        [ -z "${N:-}" ] ||
            { echo "N=$(printable "$N"): no such hint; allowed: 1 to $count" >&2; exit 2; }
        echo "You have seen the last hint."
        echo "${exercise%/*}/hints.md: has all hints of the chapter"
        echo "next: make exercise-$which"
        echo "  or: make solution-$which FORCE=1"
        exit 0
    fi
    [ "$this" -lt "$shown" ] || shown=$this
    echo "$shown" >"$seen"
    hints_of "$exercise" | awk -v want="$this" '/^### / { n++ } n == want'
    echo "(hint $this of $count)"
    echo "next: make exercise-$which"
    [ "$shown" -eq "$count" ] || echo "  or: make hint-$which"
    ;;
esac
