#!/bin/sh
# tools/check_docs.sh PAGE...: weaves the pages anew into $BUILD/docs and holds
# the committed ones against that: a page cannot drift from the code. Times may
# differ, errors by a factor of 2 (same_page.awk). Nothing is changed.
set -u

pages=0
failures=0
woven=${BUILD:-build}/docs
for page in "$@"; do
    pages=$((pages + 1))
    if sh tools/weave.sh -d "$woven" "$page" &&
        awk -v page="$page" -f tools/same_page.awk "$page" "$woven/$page"; then
        continue
    fi
    failures=$((failures + 1))
done

echo "$((pages - failures)) passed, $failures failed"
[ "$failures" -eq 0 ] && exit 0
echo "next: make docs (weaves the pages anew; then look at the difference)"
exit 1
