#!/bin/sh
# tools/test.sh PROGRAM...: runs test programs, prints one line for each and a
# failing one's output in full, and ends with `N passed, N failed`.
#
# A test counts as passed only if CMocka said OK for it. So a crash in the
# middle counts every test that it kept from running, and a program that exits
# with an error although all its tests passed counts as one failure.
# WRAP, if set, stands before each program (valgrind).
set -u

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

passed=0
failed=0
for program in "$@"; do
    # Endless loops end: ten minutes of processor time are more than enough.
    (
        ulimit -S -t 600
        exec ${WRAP-} "$program"
    ) >"$log" 2>&1 </dev/null
    status=$?

    # Prints two numbers: passed and failed.
    set -- $(awk -v status=$status '
        /^\[=*\] Running [0-9]+ test/ { announced += $3 }
        /^\[ +OK \]/                  { ok++ }
        /^\[  SKIPPED \] [^ ]+$/ && !seen[$4]++ { skipped++ }
        END {
            failed = announced - ok - skipped
            if (status != 0 && failed == 0)
                failed = 1
            print ok + 0, failed
        }' "$log")
    passed=$((passed + $1))
    failed=$((failed + $2))

    name=${program#"${BUILD:-build}"/}
    if [ "$2" -eq 0 ]; then
        printf '  ok     %4d  %s\n' "$1" "$name"
    else
        cat "$log"
        printf '  FAILED %4d  %s (exit %d)\n' "$2" "$name" "$status"
    fi
done

echo "$passed passed, $failed failed"
if [ $((passed + failed)) -eq 0 ]; then
    echo "no test was run${TEST_ONLY:+ (none is called $TEST_ONLY)}" >&2
    exit 1
fi
[ "$failed" -eq 0 ]
