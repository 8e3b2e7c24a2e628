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
    LC_ALL=C awk -v name=t -v "${3:-floor=0}" -f tools/same.awk \
        "$tmp/old" "$tmp/new"
}

must "equal lines are the same" same "reads 2 1.2e-07" "reads 2 1.2e-07"
must "a count is not another" not same "reads 2" "reads 3"
must "an error may double" same "err 1.2e-07 |" "err   2.4e-07 |"
must "it may not treble" not same "err 1.2e-07" "err 3.6e-07"
must "nor the second of two" not same "1.0e-07,2.0e-07" "1.1e-07,9.9e-07"
must "nor become nan" not same "1.2e-07" "nan"
must "below the floor it may treble" same "0" "5.9e-08" floor=1.2e-7
must "where it is said, a decimal's last digit is free" same 3.6400 3.6401 loose=1
must "but no percent" not same 3.64 3.68 loose=1
must "a line less is seen" not same "a 1
b 2" "a 1"

# --- weave.sh ----------------------------------------------------------------

# woven LINE: weaves a page with that marker; what comes out is in $tmp/woven.
woven() {
    printf '%s\n' 'Before.' "$1" 'old' '<!-- end -->' 'After.' >"$tmp/p.md"
    sh tools/weave.sh "$tmp/p.md" && ! grep -qx old "$tmp/p.md" &&
        grep -qx Before. "$tmp/p.md" && grep -qx After. "$tmp/p.md"
}

must "a command is woven" woven '<!-- weave run echo hello -->'
must "some of its lines are woven" \
    woven '<!-- weave lines 2-3,5-5 printf "1\n2\n3\n4\n5\n" -->'
must "with dots for the others" awk '
    { text = text "," $0 }
    END { exit text !~ /,[.][.][.],2,3,[.][.][.],5,```/ }' "$tmp/p.md"
for wrong in 'lines 1-2 echo x' 'run false' 'run true' 'run echo x 1 ms' \
    'rub echo x' 'code Makefile nothing' 'bite tools/weave.sh | fence() | none' \
    'bite tools/weave.sh | set -u | fence()'; do
    must "refused: $wrong" not woven "<!-- weave $wrong -->"
    must "and the page is as it was" grep -qx old "$tmp/p.md"
done
must "a bite is woven" woven '<!-- weave bite tools/weave.sh | set -u -->'
woven '<!-- weave run echo x 1 ms -->' >/dev/null 2>&1
RECORD=1 TIMES=$tmp/times sh tools/weave.sh "$tmp/p.md"
must "a time is recorded" grep 'echo x 1 ms	x	1 ms' "$tmp/times"
sed 's/1 ms$/2.34 s/' "$tmp/times" >"$tmp/times.new"
TIMES=$tmp/times.new sh tools/weave.sh "$tmp/p.md"
must "and woven from the record" grep -x 'x 2.34 s' "$tmp/p.md"
printf '%s\n' '<!-- weave run echo x -->' >"$tmp/p.md"
must "a block without its end fails" not sh tools/weave.sh "$tmp/p.md"

# --- stepdiff.sh and check_includes.sh ---------------------------------------

# A copy of two chapters, in which a mistake is planted and taken away again.
mkdir "$tmp/house"
cp -R tools common 01_* 02_* "$tmp/house"

# planted LINE FILE COMMAND...: there, with that line above the kernel's end.
planted() {
    (
        cd "$tmp/house" && cp "$2" "$tmp/kept" &&
            sed "/ANCHOR_END: kernel/i\\
$1" "$tmp/kept" >"$2" && shift 2 && "$@"
    )
    status=$?
    cp "$tmp/kept" "$tmp/house/$2"
    return "$status"
}

kernel=02_safe_softmax/safe_softmax.c
stepdiff='sh tools/stepdiff.sh 02'
shows() {
    planted 'f(x);' $kernel $stepdiff | grep "$1"
}
must "a step may change, and is counted" shows 'of which algorithm [0-9]'
must "it may not change by 16 lines" not planted "$(
    awk 'BEGIN { while (n++ < 15) print "f" n "(x);\\"; print "f(x);" }'
)" $kernel $stepdiff
must "a kernel may not include a room" not planted \
    '#include "common/program/options.h"' $kernel sh tools/check_includes.sh
must "the house as it is passes" planted '' $kernel sh tools/check_includes.sh

# --- test.sh -----------------------------------------------------------------

# says EXIT LINE...: a test program that prints this and exits so.
says() {
    status=$1
    shift
    {
        echo '#!/bin/sh'
        echo "cat <<'END'"
        printf '%s\n' "$@"
        echo 'END'
        echo "exit $status"
    } >"$tmp/program"
    chmod +x "$tmp/program"
    sh tools/test.sh "$tmp/program"
}

must "two tests pass" says 0 1..2 'ok 1 - a' 'ok 2 - b'
must "one that fails is red" not says 1 1..2 'ok 1 - a' 'not ok 2 - b'
must "an exit code alone is red" not says 3 1..2 'ok 1 - a' 'ok 2 - b'

# counted N N LINE...: so many passed and failed of a program that says this.
counted() {
    count="$1 passed, $2 failed"
    shift 2
    says 1 "$@" | grep -x "$count"
}

must "a skipped one is neither, as CMocka 1.1.5 has it" \
    counted 1 1 1..2 'ok 1 - a' 'not ok 2 # SKIP b'
must "as 2.0 has it" counted 1 1 1..2 'ok 1 - a' 'ok 2 - b # SKIP'
must "more tests than planned can't be read" \
    counted 2 1 1..1 'ok 1 - a' 'ok 2 - b'
must "prose can't be read" \
    counted 0 1 '[==========] t: Running 2 test(s).' '[       OK ] a'

# again NAME LINE...: is that the one to run again?
again() {
    name=$1
    shift
    says 1 "$@" | grep "ONLY='$name'"
}

must "the first that fails is named" again a 1..2 'not ok 1 - a' 'not ok 2 - b'
must "one that crashes is named" again b 1..2 'ok 1 - a' '# begin b'

# unbuilt: of two programs one does not build; the other is run.
unbuilt() {
    says 0 1..2 'ok 1 - a' 'ok 2 - b' >/dev/null
    UNBUILT=$tmp/other sh tools/test.sh "$tmp/other" "$tmp/program" >"$tmp/two"
    [ $? -eq 1 ] && grep -x '2 passed, 1 failed' "$tmp/two" &&
        grep -x 'failed: .*/other' "$tmp/two"
}

must "a program that does not build takes no other down" unbuilt

# --- exercise.sh -------------------------------------------------------------

# A compiler that makes of any file the tests of a second one that never ends.
cat >"$tmp/cc" <<'END'
for program; do :; done
cat >"$program" <<'TESTS'
#!/bin/sh
echo '[==========] 2 tests: Running 2 test(s).'
echo '[ RUN      ] the_first'
echo '[       OK ] the_first'
echo '[ RUN      ] the_second'
while :; do :; done
TESTS
chmod +x "$program"
END

# hangs WORDS: does the grade of an endless loop have a line of these?
hangs() {
    CC="sh $tmp/cc" FLAGS='' LIBS='' BUILD=$tmp/build SECONDS_A_TEST=1 \
        sh tools/exercise.sh grade 01_naive_softmax overflow_threshold \
        "$tmp/cc" >"$tmp/grade"
    [ $? -eq 1 ] && grep "$1" "$tmp/grade"
}

must "a test that hangs is stopped" hangs 'stopped after 1 s'
must "and named" hangs '^  FAILED  the_second$'

# A chapter of two exercises, of which the second has a mistake.
for name in one two; do
    mkdir -p "$tmp/01_y/exercise/$name/solution" "$tmp/01_y/exercise/$name/wrong"
    for file in "$name.c" "test_$name.c" "solution/$name.c" remote.c hints.md; do
        echo "## $name" >"$tmp/01_y/exercise/$name/$file"
    done
done
ln -sfn "$PWD/tools" "$tmp/tools"

# of_two COMMAND...: there, by a compiler whose programs pass each test.
of_two() {
    printf '%s\n' 'for program; do :; done' \
        'echo "echo \"[       OK ] it\"" >"$program"; chmod +x "$program"' \
        >"$tmp/cc"
    (cd "$tmp" && CC="sh $tmp/cc" FLAGS='' LIBS='' BUILD=$tmp/build "$@")
}

# graded NAME: the grade's exit code, where it names that exercise's next.
graded() {
    of_two sh tools/exercise.sh grade 01_y "$1" tools/need.sh >"$tmp/grade" 2>&1
}

must "the first of two exercises is graded" graded one
must "and the second comes next" grep 'exercise-01 E=two' "$tmp/grade"
must "which of the two must be said" not graded ''
must "in a line that names them" grep '(NAME: one two)' "$tmp/grade"

must "a hint is shown by its number" of_two env N=1 sh tools/exercise.sh hint \
    01_y one
must "watching ends once all tests pass" of_two sh tools/exercise.sh watch 01_y \
    one
of_two sh tools/exercise.sh start 01_y two >/dev/null
must "the bar knows how many are solved" grep '2 of 2 solved' "$(
    of_two sh tools/exercise.sh progress 01_y >"$tmp/grade" 2>&1
    echo "$tmp/grade"
)"
must "one that sleeps is told from one that computes" eval \
    "sh tools/limit.sh 1 sh -c 'kill -ALRM \$\$' | grep sleep"

# given ASSIGNMENT...: what make takes, after these in the environment, of E, N,
# DIR, OUT and FILE; DIR is on its command line.
given() {
    # shellcheck disable=SC2016 # for make
    printf '%s\n' 'given: ; @echo "<$$E$$N$$DIR$$OUT$$FILE>"' |
        env "$@" "${MAKE:-make}" -s -f Makefile -f - given DIR=mine
}
must "names of one letter are not taken from the environment" \
    test "$(given E=e N=n DIR=d OUT=o FILE=f)" = '<mine>'

# --- Makefile ----------------------------------------------------------------

# later NN: does making that chapter compile anything of a later one?
later() {
    ${MAKE:-make} -n BUILD="$tmp/build" "chapter-0$1" >"$tmp/made" &&
        grep "compile 0[$(($1 + 1))-7]_" "$tmp/made"
}

for n in 1 3 5; do
    must "chapter 0$n needs no later one" not later "$n"
    must "but its own" grep -q "compile 0${n}_" "$tmp/made"
done

# --- Where a decimal has a comma ---------------------------------------------

# awk reads and prints decimals as the user's country writes them.
must "all scripts speak C's language" test -z "$(
    grep -LE '(^|export )LC_ALL=C|^[.] tools/count.sh' setup.sh tools/*.sh \
        tools/book/*.sh 07_cuda/*/*.sh |
        grep -v -e /test_ -e exercise_lib -e devtools -e /run.sh -e /flags.sh
)"

finish
