#!/bin/sh
# tools/book/test.sh: opens every page of $BUILD/book in Chromium, from 360 to
# 1920 pixels wide: console errors, links, images, formulas, widths
# (tools/book/test/page.js), contrast, names, headings (access.js), and the
# search (search.js); and compares the steppers with the C programs
# (steppers.js).
set -u
. tools/count.sh

build=${BUILD:-build}
here=$build/book_test
steps=$build/book_parts/steps

mkdir -p "$here" || exit 1
cp tools/book/test/*.js tools/book/test/probe.html "$here/" || exit 1
log=$here/chromium.log

# browser ARGUMENT...: Chromium, with what all tests need.
browser() {
    sh tools/book/browser.sh --hide-scrollbars \
        --allow-file-access-from-files --user-data-dir="$here/profile" \
        --window-size=1400,1000 --enable-logging=stderr "$@"
}

# What probe.html reports.
probe() {
    page=$(cd "$here" && pwd)/probe.html
    browser --virtual-time-budget=600000 --dump-dom "file://$page" \
        2>"$log" | sed -n '/<pre id="report">/,/<\/pre>/p' |
        sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
    # What a page says on the console; but for the frames without scripts.
    sed -n '/Blocked script execution/d; s/^.*CONSOLE[^]]*\] /console: /p' "$log"
}

# --- The cases of the steppers, by the C program -----------------------------

{
    echo 'const BOOK = "../book/";'
    echo 'const PAGES = ['
    (cd "$build/book" && find . -name '*.html' | LC_ALL=C sort) |
        sed 's|^\./\(.*\)$|"\1",|'
    echo ']; const CASES = ['
    while read -r kind shown words; do
        # shellcheck disable=SC2016,SC2086 # JavaScript's quotes; several words
        printf '{ kind: "%s", shown: "%s", words: "%s", html: `%s` },\n' \
            "$kind" "$shown" "$words" \
            "$("$steps" "$kind" "$shown" $words | sed 's/[\\`]/\\&/g')"
    done <<'END'
online all 0.1 0.5 0.4 0.2 0.3 0.3
online 3 3 2 1 0
online all 0 1 2 3 -7 100 99.5 1e3
online all -inf -inf 1 2 -inf
tiles 7 64 16 1024
tiles all 100 33 3000
tiles all 64 64 100
backward 5 100 33 3000
backward all 64 64 100
warp 9 16 128 1 0
warp all 8 256 2 1
warp all 16 24 1 0
pipeline all
pipeline 7
END
    echo '];'
} >"$here/cases.js"

# --- The pages ---------------------------------------------------------------

probe >"$here/said.txt"
if grep -q '^DONE' "$here/said.txt"; then
    sed '/ passed, [0-9]* failed$/d; /^DONE/d; /^$/d' "$here/said.txt" |
        tee "$here/wrong.txt"
    passed=$(sed -n 's/^\([0-9]*\) passed, .*/\1/p' "$here/said.txt")
    failed=$(wc -l <"$here/wrong.txt")
else
    echo "Chromium did not come to the end (see $log)"
    failed=1
fi

must "real keys, a finger, paper and no JavaScript do what they should" \
    python3 tools/book/test/hands.py "$build/book" docs/plots/race.svg
must "the steppers show what the programs count" sh tools/book/test_trace.sh
finish
