#!/bin/sh
# tools/test.sh PROGRAM...: runs test programs in parallel: one more than the number of
# processors, because the ring's tests mostly wait. Prints one line per program, the whole
# output of a program that fails, and at the end `N passed, N failed`.
#
# The programs print TAP. A test passes only if its program prints the line `ok`. A
# program counts as one failure if its output is not TAP, if it exits with an error
# although its tests passed, or if UNBUILT contains its name. WRAP may be a command that
# runs the program (valgrind). left_out.sh describes LEFT_OUT.
set -u
. tools/environment.sh

# Several programs share the processors, so a thread that waits must not spin.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY-passive}" CMOCKA_MESSAGE_OUTPUT=TAP
export TEST_BEGINS=1 # common/testing/run_tests.c prints a test's name before it runs
export TEST_ONLY="${ONLY-}"

logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM

# The script `one` runs one program, prints its result, and writes its counts to a file.
cat >"$logs/one" <<'END'
log=$0/$(echo "$1" | tr / _)
case " ${UNBUILT-} " in
*" $1 "*) echo "$1: does not build" >"$log"; status=unbuilt ;;
*) sh tools/limit.sh 600 ${WRAP-} "$1" >"$log" 2>&1; status=$? ;;
esac
awk -v status="$status" -v name="${1#"${BUILD:-build}"/}" -v sums="$log.sum" '
    # Returns a test name for TEST_ONLY, where ? matches the blank of "step: name".
    function named(text) {
        sub(/^((not )?ok [0-9]+ (- )?|# begin )/, "", text)
        sub(/ Could not run test: .*/, "", text)
        gsub(/ /, "?", text)
        return text
    }
    { text = text $0 "\n" }
    /^1\.\.[0-9]+$/ { planned += substr($0, 4) }
    /^# begin / { begun = named($0) }
    /^(not )?ok [0-9]+ .*# SKIP/ { skipped++; next }
    /^ok [0-9]+ / { ok++ }
    /^not ok [0-9]+ / && !bad++ { first = named($0) }
    END {
        readable = planned != "" && ok + bad + skipped <= planned
        wrong = readable ? planned - ok - skipped : 1
        if (!wrong && status != 0)
            wrong = 1
        if (planned == 0 && readable && ENVIRON["TEST_ONLY"] != "" && !wrong)
            ; # no test of this program has the name in TEST_ONLY
        else if (wrong)
            printf "%s  FAILED %4d  %s (exit %s)\n", text, wrong, name, status
        else
            printf "  ok     %4d  %s%s\n", ok, name,
                skipped ? " (" skipped " skipped)" : ""
        # The last field is the first test that failed, or that did not end.
        print ok + 0, wrong, (status == "unbuilt"), name,
            (first != "" ? first : begun) >sums
    }' "$log"
END

printf '%s\n' "$@" | xargs -n 1 -P "$(($(getconf _NPROCESSORS_ONLN || echo 2) + 1))" \
    sh -c "$(cat "$logs/one")" "$logs"
cat "$logs"/*.sum 2>/dev/null | awk -v programs=$# -v next_line="$logs/next" '
    { passed += $1; failed += $2; unbuilt += $3 }
    $2 { print "failed: " $4; again = again == "" ? $5 : again }
    END {
        failed += programs - NR
        only = ENVIRON["TEST_ONLY"]
        if (only != "" && passed + failed == 0) {
            print "make test: ONLY=" only ": no such test" >"/dev/stderr"
            exit 1
        }
        if (NR < programs)
            print programs - NR " test programs did not end"
        print programs " test programs: " NR - unbuilt " ran, " unbuilt + 0 \
            " did not build"
        print passed + 0 " passed, " failed " failed"
        if (passed + failed == 0)
            print "no test was run"
        else if (failed)
            print "next: make test" (again ? " ONLY=\047" again "\047" : "") >next_line
        exit failed || !passed
    }'
status=$?
sh tools/left_out.sh || status=1
cat "$logs/next" 2>/dev/null
exit "$status"
