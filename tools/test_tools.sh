#!/bin/sh
# tools/test_tools.sh: the checks themselves, checked: each must pass what is
# right and be red for what is wrong. Run by `make check`.
set -u
. tools/count.sh

# --- same.awk ----------------------------------------------------------------

# same OLD NEW [OPTION]: one line each, compared.
same() {
    printf '%s\n' "$1" >"$tmp/old"
    printf '%s\n' "$2" >"$tmp/new"
    awk -v name=t -v "${3:-floor=0}" -f tools/same.awk "$tmp/old" "$tmp/new"
}
must "a count is not another" not same "reads 2" "reads 3"
must "an error may double" same "err 1.2e-07 |" "err   2.4e-07 |"
must "it may not treble" not same "1.0e-07,2.0e-07" "1.1e-07,9.9e-07"
must "below the floor it may treble" same "0" "5.9e-08" floor=1.2e-7
must "where it is said, a decimal's last digit is free" \
    same 3.6400 3.6401 loose=0.001
must "but no percent" not same 3.64 3.68 loose=0.001
# --- weave.sh ----------------------------------------------------------------

# woven LINE: weaves a page with that marker into $tmp/p.md.
woven() {
    printf '%s\n' "<!-- weave $1 -->" 'old' '<!-- end -->' >"$tmp/p.md"
    sh tools/weave.sh "$tmp/p.md" && ! grep -qx old "$tmp/p.md"
}
must "a command is woven" woven 'run echo hello'
# A program of that text, which also counts how often it was run.
program() {
    mkdir -p "$tmp/built"
    printf '#!/bin/sh\necho again >>"%s/ran"\necho %s\n' "$tmp" "$1" \
        >"$tmp/built/p"
    chmod +x "$tmp/built/p"
}
asked_and_says() {
    BUILD=$tmp/built woven 'run build/p' && grep -qx "$2" "$tmp/p.md" &&
        [ "$(wc -l <"$tmp/ran")" -eq "$1" ]
}
program one
must "a program is asked" asked_and_says 1 one
must "and not again while it is as it was" asked_and_says 1 one
program two
must "but when it is another" asked_and_says 2 two
must "a bite is woven" woven 'bite tools/weave.sh | set -u'
must "the time of a new step is kept" eval 'TIMES=$tmp/times woven \
    "run echo x 1 ms" && grep "x 1 ms	x	1 ms" "$tmp/times"'
for wrong in 'lines 1-2 echo x' 'run false' 'run true' 'rub echo x' 'code Makefile nothing' 'bite Makefile | CC = cc | none'; do
    must "refused: $wrong" not woven "$wrong"
    must "and the page is as it was" grep -qx old "$tmp/p.md"
done

# --- stepdiff.sh and check_includes.sh ---------------------------------------

# A copy of two chapters, in which a mistake is planted and taken away again.
mkdir "$tmp/house"
cp -R tools common 01_* 02_* "$tmp/house"
kernel=$tmp/house/02_safe_softmax/safe_softmax.c

# planted LINES COMMAND...: there, with these lines above the kernel's end.
planted() (
    sed "/ANCHOR_END: kernel/i\\
$1" 02_safe_softmax/safe_softmax.c >"$kernel"
    shift
    cd "$tmp/house" && "$@"
)
must "a step may change" planted 'f(x);' sh tools/stepdiff.sh 02
must "it may not change by 16 lines" not planted "$(
    awk 'BEGIN { while (n++ < 15) print "f" n "(x);\\"; print "f(x);" }'
)" sh tools/stepdiff.sh 02
must "the house as it is passes" planted '' sh tools/check_includes.sh
must "a kernel may not include a room" not planted \
    '#include "common/program/options.h"' sh tools/check_includes.sh

# --- exercise.sh -------------------------------------------------------------

# reset NAME: as make reset-02 does, where one exercise was worked at.
reset() (
    cd "$tmp/house" && mkdir -p work/02 && echo mine >work/02/logsumexp.c &&
        sh tools/exercise.sh reset 02_safe_softmax "$1"
)
asks() {
    ! reset '' 2>"$tmp/asked" && grep -F 'which exercise? E=NAME' "$tmp/asked"
}
must "a reset asks which one" asks
must "and touches none" grep -x mine "$tmp/house/work/02/logsumexp.c"
must "a reset keeps what was written" reset logsumexp
must "beside the skeleton" grep -x mine "$tmp/house/work/02/logsumexp.c.1"

# mistake NAME: that of an exercise with one more, which is not the solution's.
printf '%s\n' odd '# o' '# says: o' @@ ' {' -nothing +less \
    >>"$tmp/house/02_safe_softmax/exercise/logsumexp/wrong.diff"
mistake() (
    cd "$tmp/house" && sh tools/wrong.sh 02_safe_softmax logsumexp "$1"
)
must "a mistake is the solution with a change" mistake no_guard
must "one that changes what is not there is refused" not mistake odd
must "and none of it comes out" test -z "$(mistake odd 2>/dev/null)"
must "nor of one that is not there" not mistake of

# over LINE: what a judge asks by, of an exercise whose remote.txt says that.
over() {
    echo "$1" >"$tmp/remote.txt"
    awk -f tools/grade/remote.awk 02_*/exercise/log_softmax/log_softmax.h \
        "$tmp/remote.txt"
}
must "a judge is written of a line" over 'log_softmax: n x[n] y[n] => y'
must "not of one that forgets an argument" not over 'log_softmax: n x[n]'
must "nor of a function that is not asked for" not over 'softmax: n x[n] y[n]'

# --- test.sh -----------------------------------------------------------------

# says EXIT COUNTS LINE...: are those the counts of a program that prints these
# lines and exits so, beside one that does not build?
says() {
    printf '#!/bin/sh\n%s\nexit %d\n' \
        "printf '%s\\n' $(shift 2 && printf "'%s' " "$@")" "$1" >"$tmp/program"
    chmod +x "$tmp/program"
    not env UNBUILT="$tmp/other" sh tools/test.sh "$tmp/other" "$tmp/program" \
        >"$tmp/said" && grep -x "$2" "$tmp/said"
}
must "two pass, and what does not build fails" \
    says 0 '2 passed, 1 failed' 1..2 'ok 1 - a' 'ok 2 - b'
must "one that fails is red, and named" \
    says 1 "next: make test ONLY='b'" 1..2 'ok 1 - a' 'not ok 2 - b'
must "an exit code alone is red" \
    says 3 '2 passed, 2 failed' 1..2 'ok 1 - a' 'ok 2 - b'
must "what a crash kept from running is red" \
    says 139 '1 passed, 3 failed' 1..3 'ok 1 - a' '# begin b'
must "a skipped one is neither, as CMocka 1.1.5 has it" \
    says 0 '1 passed, 1 failed' 1..2 'ok 1 - a' 'not ok 2 # SKIP b'
must "as 2.0 has it" \
    says 0 '1 passed, 1 failed' 1..2 'ok 1 - a' 'ok 2 - b # SKIP'
must "more tests than planned are red" \
    says 0 '2 passed, 2 failed' 1..1 'ok 1 - a' 'ok 2 - b'
must "prose can't be read" says 0 '0 passed, 2 failed' '[       OK ] a'

# --- exercise.sh -------------------------------------------------------------

# A chapter of two exercises; a compiler that makes of any file its tests.
for name in one two; do
    mkdir -p "$tmp/01_y/exercise/$name"
    for file in "$name.c" "test_$name.c" remote.txt hints.md; do
        echo "## $name" >"$tmp/01_y/exercise/$name/$file"
    done
done
mkdir "$tmp/tools"
ln -s "$PWD"/tools/* "$tmp/tools/"
rm "$tmp/tools/exercises.txt"
echo "01 one two" >"$tmp/tools/exercises.txt"
printf '%s\n' 'echo "$@" >>told_cc' 'for program; do :; done' \
    'cp tests "$program"' >"$tmp/cc"

# tested LAST COMMAND EXERCISE...: by tests of which the second does LAST.
tested() (
    printf '%s\n' '#!/bin/sh' 'echo "[ RUN      ] first"' \
        'echo "[       OK ] first"' 'echo "[ RUN      ] second"' \
        "$1 || exit" 'echo "[       OK ] second"' \
        >"$tmp/tests"
    chmod +x "$tmp/tests"
    cd "$tmp" && shift && command=$1 && shift && mkdir -p build &&
        echo "${sanitizers--fsanitize=address}" >build/sanitizers &&
        CC="sh $tmp/cc" FLAGS='' SANITIZED='' LIBS='' BUILD=build \
            SECONDS_A_TEST=1 sh tools/exercise.sh "$command" 01_y "$@"
)
must "a file is graded" tested true grade one cc
# largest / n is right, and no warning may say otherwise; 0.1 in an int is not.
must "of conversions only those of floats are warned about" \
    grep -q -e '-Wno-conversion -Wfloat-conversion' "$tmp/told_cc"
must "which of the two must be said" not tested true grade '' cc
must "watching ends once all tests pass" tested true watch one
must "a hint is shown by its number" eval 'N=1 tested true hint one | grep one'
must "a test that hangs is stopped, and named" eval \
    'tested "while :; do :; done" grade one cc | grep "^  FAILED  second$"'
must "one that ends the program has not passed" eval \
    'tested "exit 0" grade one cc | grep "^    the program ended in it$"'
must "without sanitizers it says so" eval 'sanitizers= \
    tested true grade one cc | grep "no sanitizers"'
must "with them it has nothing to say" not eval \
    'tested true grade one cc | grep "sanitizers"'
# shellcheck disable=SC2016 # for the tests
must "what is exported reaches no test" eval 'CMOCKA_MESSAGE_OUTPUT=XML \
    TEST_ONLY=none OMP_NUM_THREADS=1 tested \
    "[ -z \"\$CMOCKA_MESSAGE_OUTPUT\$TEST_ONLY\$OMP_NUM_THREADS\" ]" grade one cc'
must "nor does a folder of CDPATH say its name" test -z "$(CDPATH=$PWD \
    sh -c '. tools/environment.sh && cd tools')"
must "a variant is a number" eval 'VARIANT=7 tested true grade one cc &&
    not env VARIANT=seven sh tools/environment.sh'
must "one that sleeps is told from one that computes" eval \
    "sh tools/limit.sh 1 sh -c 'kill -ALRM \$\$' | grep sleep"

# --- need.sh -----------------------------------------------------------------

# alone EXPECTED COMMAND...: says that, in one line beside make's own.
alone() {
    expected=$1
    shift
    "$@" >"$tmp/said" 2>&1
    [ "$(grep -v '^make' "$tmp/said")" = "$expected" ]
}
must "a compiler that makes no program is one line" alone \
    "CC=/bin/false: makes no program (try another one: make CC=gcc, CC=clang)" \
    "${MAKE:-make}" BUILD="$tmp/build" CC=/bin/false tour
must "a folder that is not ours is one line" alone \
    "/dev/null/b: nothing can be written there (copy the project to a folder of$(
    ) your own)" "${MAKE:-make}" BUILD=/dev/null/b tour

# --- exercises.txt -------------------------------------------------------------

# asked_in_order: no exercise of a chapter's own page comes after one of a page
# beside it, and none before chapter 05 asks for Br, which is taught there.
asked_in_order() {
    grep -v '^#' tools/exercises.txt | while read -r chapter names; do
        beside=
        for name in $names; do
            it=$(echo "$chapter"_*/exercise/"$name/$name.h")
            if grep -q -e "docs/${it%%/*}.md" -e docs/cuda_in_one_page "$it"; then
                [ -z "$beside" ] || echo "$name comes after $beside"
            else
                beside=$name
            fi
            [ "$chapter" -gt 4 ] || ! grep -w Br "$it" || echo "in $it"
        done
    done | not grep .
}
must "an exercise asks for what was taught before" asked_in_order
must "each exercise is asked" test "$(
    sed '/^#/d; s/^.. //' tools/exercises.txt | tr ' ' '\n' | sort)" = \
    "$(for it in 0[1-7]_*/exercise/*/; do basename "$it"; done | sort)"

# A project without work/, in which each chapter lists its exercises, and what
# comes after each hint of them.
mkdir "$tmp/begin"
ln -s "$PWD"/0* "$PWD/tools" "$tmp/begin/"
all_lists() (
    cd "$tmp/begin" || exit
    for chapter in 0*; do
        FLAGS='' BUILD=build sh tools/exercise.sh exercise "$chapter" ''
        for name in $(sed -n "s/^${chapter%%_*} //p" tools/exercises.txt); do
            while sh tools/exercise.sh hint "$chapter" "$name" >hint; do
                grep -e '^next: ' -e '^0' hint
                ! grep -q '^That was the last hint' hint || break
            done
        done
    done
)
all_lists >"$tmp/lists" 2>&1
must "lists, and how to go on, are no wider than 80 columns" \
    not grep '.\{81\}' "$tmp/lists"
must "all exercises were among them" test "$(grep -c '^0.*/hints.md$' \
    "$tmp/lists")" -eq "$(cat 0[1-7]_*/exercise/*/hints.md |
    grep -c '^[0-9]* minutes: ')"

# --- mistakes.awk ---------------------------------------------------------------

# reduced FILE: what a student reads of the report that comes in; x.c is theirs.
printf '\n\n    s += x[n];\n' >"$tmp/x.c"
reduced() {
    awk -v file=x.c -v text="$tmp/x.c" -f tools/mistakes.awk | paste -sd ' ' -
}
must "an over-read has its line" test "$(reduced <<'END'
before
=================================================================
==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6 at pc 0x5
READ of size 4 at 0x6 thread T0
    #0 0x5 in dot /home/me/common/matrix.c:12
    #1 0x5 in f /home/me/x.c:3
    #2 0x5 in check /home/me/test_x.c:9

0x6 is located 0 bytes to the right of 8-byte region [0x5,0x6)
allocated by thread T0 here:
    #0 0x7 in malloc
    #1 0x5 in f /home/me/x.c:1

SUMMARY: AddressSanitizer: heap-buffer-overflow x.c:3 in f
Shadow bytes around the buggy address:
  0x0c: fa fa
==1==ABORTING
after
END
)" = "before x.c:3: reads beyond the end of an array     s += x[n]; after"

# --- Makefile ----------------------------------------------------------------

# shellcheck disable=SC2016 # for make
must "what is given is not taken from the environment" test "$(
    echo 'given: ; @echo "<$$E$$N$$DIR$$OUT$$FILE$$FORCE$$ONLY>"' |
        env E=e N=n DIR=d OUT=o FILE=f FORCE=1 ONLY=o \
            "${MAKE:-make}" -s -f Makefile -f - given DIR=mine
)" = '<mine>'
# What is typed for each, in a run without running: it must not be in the text.
for name in CHAPTER CSV DIR E FILE FORCE FORMAT N ONLY OUT PUPILS TO VARIANT; do
    must "$name is no part of a command" not eval '${MAKE:-make} -n \
        BUILD="$tmp/build" "$name='"'; pasted; '"'" exercise-03 hint-03 \
        solution-03 grade-03 grade check-class handout gradescope test-03 \
        | grep pasted'
done

bell=$(printf '\007')
must "what was typed is shown without what rings" not eval \
    'sh tools/wrong.sh 03_online_softmax "$bell" 2>&1 | grep "$bell"'
must "a step's name, too" not eval \
    'sh tools/stepdiff.sh 02 "$bell" 2>&1 | grep "$bell"'

for n in 1 3 5; do
    ${MAKE:-make} -n BUILD="$tmp/build" "chapter-0$n" >"$tmp/made"
    must "chapter 0$n needs no later one" not \
        grep "compile 0[$((n + 1))-7]_" "$tmp/made"
    must "but its own" grep -q "compile 0${n}_" "$tmp/made"
done

# awk reads and prints decimals as the user's country writes them.
must "all scripts speak C's language" test -z "$(
    grep -LE '(^|export )LC_ALL=C|^[.] tools/(count|environment).sh' setup.sh \
        tools/*.sh tools/*/*.sh 07_cuda/*/*.sh |
        grep -v -e /test_ -e exercise_lib -e /build.sh -e devtools -e /run.sh -e /flags.sh
)"
finish "fix what is named above, then sh tools/test_tools.sh"
