#!/bin/sh
# tools/grade/test/test.sh MADE [KIND...]: no hostile submission earns a point,
# changes a file outside, stays, or takes longer than its limits; right ones
# with odd names or helpers pass. Ends with `N passed, N failed`.
set -u
export LC_ALL=C

made=$1
shift
passed=0
failed=0
tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
mkdir "$tmp/rooms"
chmod 755 "$tmp" "$tmp/rooms"
# Without a sandbox permissions alone keep the solutions secret. Who is a user
# then has no protection from malice (docs/instructor.md): less is tried.
secret=$PWD
weak=no
if [ -n "${NO_BWRAP:-}" ] || ! bwrap --unshare-all --ro-bind / / true; then
    [ "$(id -u)" -eq 0 ] || weak=yes
    secret=$tmp/secret
    for folder in 03_online_softmax/exercise/merge_parts 07_cuda/exercise/row_max
    do
        mkdir -p "$secret/$folder" && cp -R $folder "$secret/$folder/.."
    done
    chmod 700 "$secret"
fi
sh tools/grade/test/hostile.sh "$tmp/hostile" "$secret" || exit 2
echo whole >"$tmp/hostile/canary"
right=03_online_softmax/exercise/merge_parts/solution/merge_parts.c

verdict() {
    if [ "$2" = yes ]; then
        passed=$((passed + 1))
    else
        printf '  FAILED  %s: %s\n' "$1" "$3"
        failed=$((failed + 1))
    fi
}

# grade FILE [ID]
grade() {
    begun=$(date +%s)
    first=$(TMPDIR=$tmp/rooms GRADE_SECONDS=$seconds sh tools/grade/one.sh "$made" \
        "${2:-03_merge_parts}" "$1" 0 | sed 1q)
    took=$(($(date +%s) - begun))
}

seconds=2
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(cd "$tmp/hostile" && printf '%s\n' *.c*)
for kind; do
    id=03_merge_parts
    case $kind in
    *.cu) id=07_row_max ;;
    esac
    [ -x "$made/judges/$id" ] || continue # no C++ compiler
    case $weak:$kind in
    yes:kills_* | yes:deletes* | yes:writes_outside* | yes:*includes* | \
        yes:takes_its_bytes*)
        continue
        ;;
    esac
    grade "$tmp/hostile/$kind" "$id"
    # One point in nine is what a function that does nothing gets.
    case $first in
    "0 "* | "1 "*failed) good=yes ;;
    *) good=no ;;
    esac
    case $kind:$first in takes_its*compile* | cuda_inc*compile*) ;;
    takes_its* | cuda_inc*) good=no ;; esac
    verdict "$kind" $good "earned $first"
    [ "$took" -le 100 ] || verdict "$kind" no "took $took s"
    [ "$(cat "$tmp/hostile/canary" 2>&1)" = whole ] ||
        verdict "$kind" no "wrote outside"
    echo whole >"$tmp/hostile/canary"
    # By the program that runs, whatever it calls itself.
    left=$(readlink /proc/[0-9]*/exe 2>/dev/null | grep -m 3 "$tmp")
    [ -z "$left" ] || verdict "$kind" no "left processes: $left"
done

seconds=10
# shellcheck disable=SC2016 # a name, not a command
for name in 'a b.c' 'a$(touch pwned).c' "it's.c" 'ü.txt' "$(printf 'a\nb').c"; do
    cp "$right" "$tmp/$name"
    grade "$tmp/$name"
    verdict "$name" "$([ "$first" = "9 9 passed" ] && echo yes)" "got $first"
done
[ ! -e pwned ] || verdict pwned no "a name was run"
for helper in main fill row is_close hear; do
    { echo "int $helper(void); int $helper(void) { return 0; }"; cat "$right"; } \
        >"$tmp/helper.c"
    grade "$tmp/helper.c"
    verdict "a helper called $helper" \
        "$([ "$first" = "9 9 passed" ] && echo yes)" "got $first"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
