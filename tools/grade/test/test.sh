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
chmod 755 "$tmp"
sh tools/grade/test/hostile.sh "$tmp/hostile" || exit 2
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

grade() {
    begun=$(date +%s)
    first=$(GRADE_SECONDS=$seconds sh tools/grade/one.sh "$made" 03_merge_parts "$1" 0 |
        sed 1q)
    took=$(($(date +%s) - begun))
}

# shellcheck disable=SC2046 # names without blanks
seconds=2
[ $# -gt 0 ] || set -- $(cd "$tmp/hostile" && printf '%s\n' *.c |
    sed 's/\.c$//')
for kind in "$@"; do
    grade "$tmp/hostile/$kind.c"
    case $first in
    "0 "* | "1 "*failed) good=yes ;;
    *) good=no ;;
    esac
    [ "$kind" != takes_its_bytes ] || case $first in *compile*) ;; *) good=no ;; esac
    verdict "$kind" $good "earned $first"
    [ "$took" -le 100 ] || verdict "$kind" no "took $took s"
    [ "$(cat "$tmp/hostile/canary" 2>&1)" = whole ] ||
        verdict "$kind" no "wrote outside"
    echo whole >"$tmp/hostile/canary"
    left=$(ps -eo uid=,args= | awk '$1 >= 300000' | grep worker |
        head -3)
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
