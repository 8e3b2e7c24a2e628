#!/bin/sh
# tools/test.sh PROGRAM...: runs test programs, prints one line for each and a
# failing one's output in full, and ends with `N passed, N failed`.
#
# CMocka says in TAP how each test ended: that form is the same in all of its
# versions. A test counts as passed only if there is an `ok` for it. So a crash
# in the middle counts every test that it kept from running, and a program that
# exits with an error although all its tests passed counts as one failure; so
# does one whose output can't be read, or that is named in UNBUILT.
# On each processor runs one, and what ends first has its line first.
# WRAP, if set, stands before each program (valgrind). LEFT_OUT: left_out.sh.
set -u
# shellcheck source=tools/environment.sh
. tools/environment.sh

# Many small problems: a thread that waits by spinning would hold up the others.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY-passive}" CMOCKA_MESSAGE_OUTPUT=TAP
export TEST_BEGINS=1 # common/testing/run_tests.c then says which test begins
export TEST_ONLY="${ONLY-}"

logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM

# run PROGRAM: its exit status, or `unbuilt`; what it says goes to a log.
# shellcheck disable=SC2016 # for sh
run='case " ${UNBUILT-} " in
*" $1 "*) status=unbuilt ;;
*) sh tools/limit.sh 600 ${WRAP-} "$1" >"$0/$(echo "$1" | tr / .)" 2>&1
   status=$? ;;
esac
echo "$status $1"'

# report N: of N programs, those that have ended, a line of run's each.
report() {
    programs=$1
    passed=0
    failed=0
    red=
    unbuilt=0
    ended=0
    again=
    while read -r status program; do
        [ "$program" ] || continue
        ended=$((ended + 1))
        name=${program#"${BUILD:-build}"/}
        log=$logs/$(echo "$program" | tr / .)
        if [ "$status" = unbuilt ]; then
            echo "$name: does not build" >"$log"
            unbuilt=$((unbuilt + 1))
            status=1
        fi

        # How many passed, failed, were skipped; the first failing test's name,
        # or that of the one that began and did not end.
        # shellcheck disable=SC2046
        set -- $(awk -v status=$status '
            # For TEST_ONLY a ? matches the blank of "step: claim".
            function named(text) {
                sub(/^((not )?ok [0-9]+ (- )?|# begin )/, "", text)
                sub(/ Could not run test: .*/, "", text)
                gsub(/ /, "?", text)
                return text
            }
            /^1\.\.[0-9]+$/ { planned += substr($0, 4) }
            /^# begin / { name = named($0) }
            /^(not )?ok [0-9]+ .*# SKIP/ { skipped++; next }
            /^ok [0-9]+ / { ok++ }
            /^not ok [0-9]+ / { bad++; if (first == "") first = named($0) }
            END {
                readable = planned != "" && ok + bad + skipped <= planned
                failed = readable ? planned - ok - skipped : 1
                print ok + 0, failed + (status && !failed), skipped + 0, \
                    (first != "" ? first : name)
            }' "$log")
        passed=$((passed + $1))
        failed=$((failed + $2))
        if [ "$2" -eq 0 ]; then
            [ "$3" -eq 0 ] || name="$name ($3 skipped)"
            printf '  ok     %4d  %s\n' "$1" "$name"
        else
            cat "$log"
            printf '  FAILED %4d  %s (exit %d)\n' "$2" "$name" "$status"
            red="$red $name"
            again=${again:-${4-}}
        fi
    done

    # shellcheck disable=SC2086 # names
    [ -z "$red" ] || printf 'failed: %s\n' $red
    if [ "$ended" -ne "$programs" ]; then
        echo "$((programs - ended)) test programs never ended" >&2
        failed=$((failed + programs - ended))
    fi
    echo "$programs test programs: $((ended - unbuilt)) ran," \
        "$unbuilt did not build"
    echo "$passed passed, $failed failed"
    status=0
    if [ $((passed + failed)) -eq 0 ]; then
        echo "no test was run${TEST_ONLY:+ (none is called $TEST_ONLY)}" >&2
        return 1
    elif [ "$failed" -ne 0 ]; then
        echo "next: make test${again:+ ONLY="'$again'"}"
        status=1
    fi
    sh tools/left_out.sh || status=1
    return "$status"
}

printf '%s\n' "$@" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN || echo 2)" \
    sh -c "$run" "$logs" | report $#
