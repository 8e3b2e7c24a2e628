#!/bin/sh
# tools/try_programs.sh PROGRAM...: runs each chapter's program in the ways that
# every one knows, and looks only at how it ends. For the sanitizers' build.
set -u
export LC_ALL=C

passed=0
failed=0
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# try PROGRAM [OPTION]: it must succeed and print something.
try() {
    if sh tools/limit.sh 600 "$@" >"$log" 2>&1 && [ -s "$log" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        cat "$log"
        echo "  FAILED  $*"
    fi
}

for program in "$@"; do
    try "$program"
    for option in --help --list --trace --csv; do
        try "$program" "$option"
    done
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
