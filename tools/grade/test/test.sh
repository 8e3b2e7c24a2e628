#!/bin/sh
# tools/grade/test/test.sh MADE [KIND...]: no hostile submission earns a point,
# changes a file outside, stays, or takes longer than its limits; right ones
# with odd names or helpers pass. With ALL_WAYS=1 four times: with bwrap and
# without, as who runs this, and if that is root as a user who owns nothing.
set -u
. tools/count.sh

if [ "${ALL_WAYS:-}" ]; then
    for as in env "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp"; do
        [ "$as" = env ] || [ "$(id -u)" -eq 0 ] || continue
        for without in '' 1; do
            echo "as $($as id -u)${without:+, without bwrap}"
            $as ALL_WAYS= NO_BWRAP=$without sh "$0" "$@"
            count $?
        done
    done
    finish
fi

made=$1
shift
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

# verdict WHAT GOT PATTERN: a line of the protocol.
verdict() {
    # shellcheck disable=SC2254 # a pattern
    case $2 in
    $3) echo "ok $1" ;;
    *) echo "  FAILED  $1: $2" ;;
    esac >>"$tmp/verdicts"
}

# grade FILE [ID]: sets got, what is told of it first, and what it left: by the
# program that runs, whatever it calls itself.
grade() {
    rooms=$(mktemp -d "$tmp/rooms/XXXXXX") && chmod 755 "$rooms"
    got=$(TMPDIR=$rooms GRADE_SECONDS=$seconds sh tools/grade/one.sh \
        "$made" "${2:-03_merge_parts}" "$1" | sed 1q)
    left=$(readlink /proc/[0-9]*/exe 2>/dev/null | grep -m 3 "$rooms/")
    [ -z "$left$(ls "$rooms")" ] || got="$got, and left $left $(ls "$rooms")"
}

hostile() {
    id=03_merge_parts
    want="0.0 10 *"
    case $1 in
    *.cu) id=07_row_max ;;
    esac
    [ -x "$made/judges/$id" ] || return 0 # no C++ compiler
    case $weak:$1 in
    yes:kills_* | yes:deletes* | yes:writes_o* | yes:*includes* | \
        yes:takes_its_bytes* | yes:leaves_files* | yes:makes_deep*) return 0 ;;
    *:takes_its* | *:cuda_inc*) want="0.0 10 *compile*" ;;
    esac
    begun=$(date +%s)
    grade "$tmp/hostile/$1" "$id"
    took=$(($(date +%s) - begun))
    [ "$took" -le 150 ] || got="too late, $took s: $got"
    case $got in *", and left "*) want=nothing ;; esac
    verdict "$1" "$got" "$want"
}

# at_once N COMMAND THING...: the command for each thing, N of them at a time.
at_once() {
    most=$1
    command=$2
    n=0
    shift 2
    for thing; do
        "$command" "$thing" &
        n=$((n + 1))
        [ $((n % most)) -ne 0 ] || wait
    done
    wait
}

# Most of them only wait for their end.
seconds=2
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(cd "$tmp/hostile" && printf '%s\n' *.c*)
at_once 6 hostile "$@"
verdict "what is outside" "$(cat "$tmp/hostile/canary" 2>&1)" whole

# Whoever hands in what was handed out has no points; nor for doing nothing.
skeleton() {
    name=$(basename "$1")
    id=${1%%_*}_$name
    [ -x "$made/judges/$id" ] || return 0
    sed 's/TODO(/(void)(/' "$1$name".c* >"$tmp/$name"
    grade "$tmp/$name" "$id"
    verdict "the skeleton of $name" "$got" "0.0 *failed"
}
seconds=10
at_once 2 skeleton 0[1-7]_*/exercise/*/

# What make exercise-NN says of a step beyond an array is said here, too.
for file in $(grep -lx '[a-z]*s_beyond' 0[1-7]_*/exercise/*/wrong.diff); do
    name=$(basename "${file%/*}")
    sh tools/wrong.sh "${file%%/*}" "$name" "$(grep -x '[a-z]*s_beyond' "$file")" \
        >"$tmp/$name.c"
    got=$(sh tools/grade/one.sh "$made" "${file%%_*}_$name" "$tmp/$name.c")
    verdict "$file" "$got" "0.0 *  $name.c:[0-9]*s beyond the end of an array*"
done

# shellcheck disable=SC2016 # a name, not a command
for name in 'a b.c' 'a$(touch pwned).c' "it's.c" 'ü.txt' "$(printf 'a\nb').c"; do
    cp "$right" "$tmp/$name"
    grade "$tmp/$name"
    verdict "$name" "$got" "10.0 10 passed"
done
[ ! -e pwned ] || verdict "a name" run "not run"
for helper in main fill row is_close hear; do
    { echo "int $helper(void); int $helper(void) { return 0; }"; cat "$right"; } \
        >"$tmp/$helper.c"
    grade "$tmp/$helper.c"
    verdict "a helper called $helper" "$got" "10.0 10 passed"
done

grep FAILED "$tmp/verdicts"
failed=$(grep -c FAILED "$tmp/verdicts")
passed=$(grep -c '^ok' "$tmp/verdicts")
finish
