#!/bin/sh
# tools/classroom/handout.sh TO: the course as a student gets it: what is
# committed, without solutions, wrong variants and the grader. A folder that is
# a handout already is renewed, and its CHANGELOG.md says what has changed;
# what a student works on (work/) is not ours and stays.
set -eu
export LC_ALL=C

to=${1%/}
[ "$to" ] || { echo "make handout: where to? TO=../handout" >&2; exit 2; }
if [ -e "$to" ] && [ ! -f "$to/CHANGELOG.md" ]; then
    echo "TO=$to: is there, and is no handout (it has no CHANGELOG.md)" >&2
    exit 2
fi
commit=$(git rev-parse --short HEAD 2>/dev/null) || {
    echo "make handout: needs git, and this project's history" >&2
    exit 2
}

new=$to.new$$
trap 'rm -rf "$new" "$new".*' EXIT
mkdir -p "$new"
git archive HEAD | tar -xf - -C "$new"
rm -rf "$new"/*/exercise/*/solution "$new"/*/exercise/*/wrong \
    "$new"/*/exercise/*/remote.c "$new"/*/exercise/remote_*.h "$new/tools/grade" "$new/tools/classroom" \
    "$new/docs/instructor.md" "$new/.ci" "$new/.github"
# Nor is a page left that leads to what is not there.
for page in docs/index.md docs/exercises.md; do
    git show "HEAD:$page" | awk '/^## / { skip = /^## For a teacher/ }
        !skip && !/instructor\.md/' >"$new/$page"
done
git show HEAD:tools/classroom/agents.md >"$new/AGENTS.md"

# files FOLDER: those that were handed out, each with its checksum.
files() {
    (cd "$1" && find . -type d \( -name build -o -name work \) -prune -o \
        -type f ! -name CHANGELOG.md ! -path ./run -exec cksum {} + | sort -k3)
}
{
    echo "# What has changed"
    echo
    echo "## $(date -u +%Y-%m-%d), $commit"
    echo
    if [ ! -d "$to" ]; then
        echo "- handed out"
    else
        files "$to" >"$new.old"
        files "$new" | awk '
            { name = $0; sub(/^[0-9]+ [0-9]+ \.\//, "", name) }
            NR == FNR { sum[name] = $1; next }
            !(name in sum) { print "- new: " name }
            name in sum && sum[name] != $1 { print "- changed: " name }
            { delete sum[name] }
            END { for (name in sum) print "- gone: " name }' "$new.old" - |
            sort >"$new.changes"
        [ -s "$new.changes" ] || echo "- nothing" >"$new.changes"
        cat "$new.changes"
        echo
        sed 1,2d "$to/CHANGELOG.md"
    fi
} >"$new.log"
mv "$new.log" "$new/CHANGELOG.md"

# What was handed out before and no longer is goes; the student's files stay.
if [ -d "$to" ]; then
    sed -n '4,/^## /s/^- gone: //p' "$new/CHANGELOG.md" | while read -r name; do
        rm -f "$to/$name"
    done
fi
mkdir -p "$to"
(cd "$new" && tar -cf - .) | tar -xf - -C "$to"
echo "$to: $(find "$new" -type f | wc -l) files of $commit"
echo "next: cd $to && make test"
