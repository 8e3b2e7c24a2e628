# tools/tally.sh: read by checks, with `. tools/tally.sh`. Counts what passed and
# what failed, names each failure, and prints both counts at the end. $tmp is a
# folder that is removed when the script ends.

# shellcheck source=tools/environment.sh
. tools/environment.sh
passed=0
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# count STATUS [WHAT]: counts a success (0) or a failure, and prints WHAT if it failed.
count() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        [ -z "${2-}" ] || echo "  FAILED  $2"
    fi
}

# must WHAT COMMAND...: counts whether the command succeeds; prints its output if not.
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

# finish [NEXT]: prints the counts, and the next command if a check failed. Exits.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && exit 0
    [ -z "${1-}" ] || echo "next: $1"
    exit 1
}
