# tools/tally.sh: functions that count passed and failed checks. A script reads this file
# with `. tools/tally.sh`. $tmp is a temporary folder, which is removed when the script
# ends.

. tools/environment.sh
passed=0
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# count STATUS [WHAT]: if STATUS is 0, counts a pass; else counts a failure, prints WHAT.
count() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        [ -z "${2-}" ] || echo "  FAILED  $2"
    fi
}

# must WHAT COMMAND...: counts the command. If it fails, prints its output and WHAT.
must() {
    what=$1
    shift
    "$@" >"$tmp/log" 2>&1
    status=$?
    [ "$status" -eq 0 ] || sed 's/^/  | /' "$tmp/log"
    count "$status" "$what"
}

not() {
    ! "$@"
}

# finish [NEXT]: prints the counts. If any check failed or none passed, prints NEXT and
# exits with 1, else exits with 0.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && exit 0
    [ -z "${1-}" ] || echo "next: $1"
    exit 1
}
