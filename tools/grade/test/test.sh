#!/bin/sh
# tools/grade/test/test.sh MADE [KIND...]: no hostile submission earns a point,
# changes a file outside, stays, or takes longer than its limits; right ones
# with odd names or helpers pass. Ends with `N passed, N failed`.
set -u
export LC_ALL=C

made=$1
shift
tmp=$(mktemp -d) || exit 2
mode=$(stat -c %a .)
trap 'chmod $mode . 2>/dev/null; chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
mkdir "$tmp/rooms"
chmod 755 "$tmp" "$tmp/rooms"
# Who is a user, and has no sandbox, has no protection from malice
# (docs/instructor.md): less is tried.
weak=no
if [ -n "${NO_BWRAP:-}" ] || ! bwrap --unshare-all --ro-bind / / true; then
    [ "$(id -u)" -eq 0 ] || weak=yes
fi
sh tools/grade/test/hostile.sh "$tmp/hostile" "$PWD" || exit 2
echo whole >"$tmp/hostile/canary"
right=03_online_softmax/exercise/merge_parts/solution/merge_parts.c

# verdict WHAT yes|no WHY: a line of the protocol.
verdict() {
    if [ "$2" = yes ]; then
        echo "ok $1"
    else
        printf '  FAILED  %s: %s\n' "$1" "$3"
    fi >>"$tmp/verdicts"
}

# grade FILE [ID]: sets first, what is told of it first.
grade() {
    rooms=$(mktemp -d "$tmp/rooms/XXXXXX") && chmod 755 "$rooms"
    first=$(TMPDIR=$rooms GRADE_SECONDS=$seconds sh tools/grade/one.sh \
        "$made" "${2:-03_merge_parts}" "$1" | sed 1q)
}

hostile() {
    id=03_merge_parts
    case $1 in
    *.cu) id=07_row_max ;;
    esac
    [ -x "$made/judges/$id" ] || return 0 # no C++ compiler
    case $weak:$1 in
    yes:kills_* | yes:deletes* | yes:writes_o* | yes:*includes* | \
        yes:takes_its_bytes* | yes:alarms_* | yes:leaves_files* | yes:makes_deep*)
        return 0
        ;;
    esac
    begun=$(date +%s)
    grade "$tmp/hostile/$1" "$id"
    took=$(($(date +%s) - begun))
    case $first in
    "0.0 10 "*) good=yes ;;
    *) good=no ;;
    esac
    case $1:$first in takes_its*compile* | cuda_inc*compile*) ;;
    takes_its* | cuda_inc*) good=no ;; esac
    [ "$took" -le 150 ] || good=no
    # By the program that runs, whatever it calls itself.
    left=$(readlink /proc/[0-9]*/exe 2>/dev/null | grep -m 3 "$rooms/")
    [ -z "$left$(ls "$rooms")" ] || good=no
    verdict "$1" $good "earned $first, took $took s, left $left$(ls "$rooms")"
}

seconds=2
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(cd "$tmp/hostile" && printf '%s\n' *.c*)
# Most of them only wait for their end: six at a time.
n=0
for kind; do
    hostile "$kind" &
    n=$((n + 1))
    [ $((n % 6)) -ne 0 ] || wait
done
wait
verdict "nothing outside was written" "$([ "$(cat "$tmp/hostile/canary" \
    2>&1)" = whole ] && echo yes)" "$(cat "$tmp/hostile/canary" 2>&1)"

# Whoever hands in what was handed out has no points; nor for doing nothing.
seconds=10
for exercise in 0[1-7]_*/exercise/*/; do
    name=$(basename "$exercise")
    id=${exercise%%_*}_$name
    [ -x "$made/judges/$id" ] || continue
    sed 's/TODO(/(void)(/' "$exercise$name".c* >"$tmp/$name"
    grade "$tmp/$name" "$id"
    verdict "the skeleton of $name" \
        "$(case $first in "0.0 "*failed) echo yes ;; esac)" "earned $first"
done

# shellcheck disable=SC2016 # a name, not a command
for name in 'a b.c' 'a$(touch pwned).c' "it's.c" 'ü.txt' "$(printf 'a\nb').c"; do
    cp "$right" "$tmp/$name"
    grade "$tmp/$name"
    verdict "$name" "$([ "$first" = "10.0 10 passed" ] && echo yes)" "got $first"
done
[ ! -e pwned ] || verdict pwned no "a name was run"
for helper in main fill row is_close hear; do
    { echo "int $helper(void); int $helper(void) { return 0; }"; cat "$right"; } \
        >"$tmp/$helper.c"
    grade "$tmp/$helper.c"
    verdict "a helper called $helper" \
        "$([ "$first" = "10.0 10 passed" ] && echo yes)" "got $first"
done

grep FAILED "$tmp/verdicts"
failed=$(grep -c FAILED "$tmp/verdicts")
passed=$(grep -c '^ok' "$tmp/verdicts")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
