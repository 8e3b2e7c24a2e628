#!/bin/sh
# tools/test.sh PROGRAM...: runs test programs, prints one line for each and a
# failing one's output in full, and ends with `N passed, N failed`.
#
# A test counts as passed only if CMocka said OK for it. So a crash in the
# middle counts every test that it kept from running, and a program that exits
# with an error although all its tests passed counts as one failure.
# WRAP, if set, stands before each program (valgrind).
set -u
export LC_ALL=C

# Many small problems: a thread that waits by spinning would hold up the others.
OMP_WAIT_POLICY=${OMP_WAIT_POLICY-passive}
export OMP_WAIT_POLICY

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

passed=0
failed=0
again=
for program in "$@"; do
    # shellcheck disable=SC2086 # WRAP is a command with its options
    sh tools/limit.sh 600 ${WRAP-} "$program" >"$log" 2>&1
    status=$?

    # Three numbers, and the first failing test's name if CMocka came that far.
    # shellcheck disable=SC2046
    set -- $(awk -v status=$status '
        /^\[=+\] Running [0-9]+ test/ { announced += $3 }
        /^\[ +OK \]/ { ok++ }
        # A name may have a blank ("step: claim"): for TEST_ONLY a ? matches it.
        { text = $0; sub(/^\[[^]]*\] /, "", text); gsub(/ /, "?", text) }
        /^\[ +RUN +\]/ { name = text }
        /^\[ +(FAILED|ERROR) +\]/ && text == name && first == "" { first = name }
        /^\[ +SKIPPED +\]/ && text == name && !seen[text]++ { skipped++ }
        END {
            failed = announced - ok - skipped
            if (status != 0 && failed == 0)
                failed = 1
            print ok + 0, failed, skipped + 0, (first != "" ? first : name)
        }' "$log")
    passed=$((passed + $1))
    failed=$((failed + $2))

    name=${program#"${BUILD:-build}"/}
    if [ "$2" -eq 0 ]; then
        note=
        [ "$3" -gt 0 ] && note=" ($3 skipped)"
        printf '  ok     %4d  %s%s\n' "$1" "$name" "$note"
    else
        cat "$log"
        printf '  FAILED %4d  %s (exit %d)\n' "$2" "$name" "$status"
        again=${again:-${4-}}
    fi
done

echo "$passed passed, $failed failed"
if [ $((passed + failed)) -eq 0 ]; then
    echo "no test was run${TEST_ONLY:+ (none is called $TEST_ONLY)}" >&2
    exit 1
fi
[ "$failed" -eq 0 ] && exit 0
[ -n "$again" ] && again=" ONLY='$again'"
echo "next: make test$again"
exit 1
