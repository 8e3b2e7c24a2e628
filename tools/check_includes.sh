#!/bin/sh
# tools/check_includes.sh: is the house as tools/rooms.txt says?
#   - no include but those that the table allows: so none upward, and no circle
#   - no two files include each other, in however many steps (a source and its
#     header are one file)
#   - each room has a README.md of at most 15 lines, and at most 35 files; at
#     the doors of common/ and 07_cuda/ lie at most 25
set -u
export LC_ALL=C

table=tools/rooms.txt
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

fail() {
    echo "$*"
    failed=1
}

# shellcheck disable=SC2046 # names without blanks
awk -v table="$table" -v steps=tools/steps.txt -v edges="$tmp/edges" \
    -f tools/check_includes.awk $(find common 0[1-7]_* docs/lab tools/book -type f \
    \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) \
    2>/dev/null | sort) || failed=1
tsort "$tmp/edges" >/dev/null 2>"$tmp/circles"
[ -s "$tmp/circles" ] && fail "a circle: $(cat "$tmp/circles")"

for room in $(find common 0[1-7]_* -type d ! -path '*/exercise*' \
    ! -path '*/include/*'); do
    case $room in
    0[1-6]_*/*) ;;
    0[1-6]_*) continue ;; # a chapter's door: its page says it all
    esac
    files=$(find "$room" -maxdepth 1 -type f | wc -l)
    [ "$files" -gt 0 ] || continue
    most=35
    case $room in
    common | 07_cuda) most=25 ;;
    esac
    [ "$files" -le $most ] ||
        fail "$room: $files files, and $most allowed: give it another room"
    [ -f "$room/README.md" ] || {
        fail "$room: has no README.md (what lives here, who may include whom)"
        continue
    }
    [ "$room" = common/data ] || [ "$(wc -l <"$room/README.md")" -le 15 ] ||
        fail "$room/README.md: more than 15 lines"
done
[ "$failed" -eq 0 ] && echo "every include is one that $table allows"
exit $failed
