#!/bin/sh
# tools/book/test_site.sh: the page that invites: its links lead somewhere, its
# picture moves as an <img>, is still for a reader who prefers no motion, and
# says the bytes that the programs count.
set -u
. tools/count.sh

build=${BUILD:-build}
site=$build/site
here=$build/book_test/site
. tools/book/devtools.sh
mkdir -p "$here"

links_lead_somewhere() {
    grep -o '\(href\|src\)="[^"#:]*["#]' "$site/index.html" |
        sed 's/.*="//; s/["#]$//' | sort -u >"$here/links"
    [ "$(grep -c '^book/' "$here/links")" -ge 10 ] || return 1
    while read -r link; do
        [ -z "$link" ] || [ -e "$site/$link" ] ||
            { echo "site/index.html: $link: not there" >&2; return 1; }
    done <"$here/links"
}
must "the landing page's links lead somewhere" links_lead_somewhere

# look: $seen is a checksum of the tab as it looks now.
look() {
    sleep 1
    ask Page.captureScreenshot '{}'
    seen=$(field data | cksum)
}
cp docs/plots/race.svg "$here/"
echo '<!DOCTYPE html><title>race</title><img src="race.svg" alt="">' \
    >"$here/race.html"
open_browser
open_tab "$PWD/$here/race.html"
look
early=$seen
look
must "the race moves as an image" [ "$early" != "$seen" ]
close_browser
open_browser --force-prefers-reduced-motion
open_tab "$PWD/$here/race.html"
look
still=$seen
look
must "without motion it is still" [ "$still" = "$seen" ]
must "and shows the end" [ "$still" != "$early" ]
close_browser

# All heads of the bundled layer move the same.
for step in standard_attention flash1 flash2; do
    counted=$("$build/06_flash2/run" --q common/data/q.npy \
        --k common/data/k.npy --v common/data/v.npy --step $step --csv |
        awk -F, 'NR > 1 { printf "%d", 4 * ($11 + $12) / $3 }')
    must "the race's bytes of $step are the program's: $counted" \
        grep -q "<desc.* $counted[,.]" docs/plots/race.svg
done
must "the picture is drawn from its data" \
    sh -c 'awk -f docs/lab/race.awk docs/results/race.tsv |
        cmp - docs/plots/race.svg'
finish
