#!/bin/sh
# tools/classroom/test.sh: hands the course out, and tries Gradescope's zip in a
# bare Debian whose /autograder is laid out as Gradescope does. What is tried is
# what is committed. Ends with `N passed, N failed`.
#
# Of the second it needs root, unshare and the systems that tools/fresh_check.sh
# keeps; where they are not it says so, and the rest counts.
set -u
export LC_ALL=C

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0
must() {
    what=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then
        passed=$((passed + 1))
    else
        tail -n 20 "$tmp/log"
        echo "  FAILED  $what"
        failed=$((failed + 1))
    fi
}
not() { ! "$@"; }

# --- The handout --------------------------------------------------------------

to=$tmp/handout
must "it is handed out" sh tools/classroom/handout.sh "$to"
# Neither by name nor under another.
# shellcheck disable=SC2016 # expanded inside
must "there is no folder of solutions" not sh -c \
    'find "$1" -name solution -o -name wrong | grep .' sh "$to"
for file in 0[1-7]_*/exercise/*/solution/*; do cksum <"$file"; done |
    sort >"$tmp/sums"
# shellcheck disable=SC2016 # expanded inside
must "no file is a solution" not sh -c 'find "$1" -type f | while read -r f; do
    cksum <"$f"; done | grep -xFf "$2"' sh "$to" "$tmp/sums"
must "an assistant is told" grep -q "explain" "$to/AGENTS.md"
must "it builds, and its tests run" make -C "$to" test-03
# shellcheck disable=SC2016 # expanded inside
must "an exercise begins" sh -c \
    'make -C "$1" exercise-03 E=merge_parts | grep "not yet"' sh "$to"
must "a hint comes" make -C "$to" hint-03 E=merge_parts
echo mine >"$to/work/03/merge_parts.c"
must "it is handed out again" sh tools/classroom/handout.sh "$to"
must "which leaves the student's work" grep -q mine "$to/work/03/merge_parts.c"
must "and says that nothing changed" grep -q -- "- nothing" "$to/CHANGELOG.md"
must "over a folder of something else it is not" not \
    sh tools/classroom/handout.sh "$tmp"

# --- Gradescope ---------------------------------------------------------------

base=${XDG_CACHE_HOME:-$HOME/.cache}/flashattention-fresh
base=$base/bookworm-$(dpkg --print-architecture 2>/dev/null).tar
must "the zip is made" env CHAPTER=03 \
    sh tools/classroom/gradescope.sh "$tmp/autograder.zip"

# inside COMMAND: typed in the container.
inside() {
    # shellcheck disable=SC2016 # expanded inside
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$1/proc" && mount -t tmpfs tmp "$1/tmp" &&
        exec chroot "$1" /usr/bin/env -i HOME=/root \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            ${http_proxy+http_proxy="$http_proxy"} sh -c "$2"' \
        sh "$tmp/root" "cd /autograder && $1" </dev/null
}
# points NAME: what results.json gives for the exercise.
points() {
    sed -n "s/.*\"name\": \"$1\", \"score\": \([0-9.]*\),.*/\1/p" \
        "$tmp/root/autograder/results/results.json"
}

if [ "$(id -u)" -ne 0 ] || [ ! -f "$base" ] || ! command -v unzip >/dev/null ||
    ! unshare --mount --pid --fork true 2>/dev/null; then
    echo "Gradescope's container: left out (root, unzip, make fresh-check)"
else
    at=$tmp/root/autograder
    mkdir "$tmp/root"
    tar -C "$tmp/root" -xf "$base"
    cp /etc/resolv.conf "$tmp/root/etc/"
    cp -p "${base%-*}.packages"/*.deb "$tmp/root/var/cache/apt/archives/" \
        2>/dev/null
    mkdir -p "$at/source" "$at/submission" "$at/results"
    unzip -q "$tmp/autograder.zip" -d "$at/source"
    cp "$at/source/run_autograder" "$at/"
    must "setup.sh sets it up" inside "sh source/setup.sh"
    cp 03_online_softmax/exercise/merge_parts/solution/merge_parts.c \
        03_online_softmax/exercise/top_score/wrong/last_of_equals.c \
        "$at/submission/"
    mv "$at/submission/last_of_equals.c" "$at/submission/top_score.c"
    # One that reads the solution, if it can.
    printf '%s\n' '#include "parts_in_any_order.h"' '#include "/autograder/source/flashattention/03_online_softmax/exercise/parts_in_any_order/solution/parts_in_any_order.c"' \
        >"$at/submission/parts_in_any_order.c"
    must "run_autograder runs" inside ./run_autograder
    must "a right file has its points" test "$(points 03_merge_parts)" = 10.0
    must "a wrong one has some" test "$(points 03_top_score)" = 7.5
    must "the solution stays secret" \
        test "$(points 03_parts_in_any_order)" = 0.0
    if command -v python3 >/dev/null; then
        must "results.json is JSON" python3 -m json.tool "$at/results/results.json"
    fi
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
