#!/bin/sh
# tools/classroom/handout.sh TO: the course as a student gets it: what is
# committed, without solutions, wrong variants and the grader. A folder that is
# a handout already is renewed, and its CHANGELOG.md says what has changed;
# what a student works on (work/) is not ours and stays.
set -eu
export LC_ALL=C

stop() {
    echo "$*" >&2
    exit 2
}
to=${1%/}
[ "$to" ] || stop "make handout: where to? TO=../handout"
[ ! -e "$to" ] || [ -f "$to/CHANGELOG.md" ] ||
    stop "TO=$to: is there, and is no handout (it has no CHANGELOG.md)"
commit=$(git rev-parse --short HEAD 2>/dev/null) ||
    stop "make handout: needs git, and this project's history"

new=$to.new$$
trap 'rm -rf "$new" "$new".*' EXIT
mkdir -p "$new" "$to"
git archive HEAD | tar -xf - -C "$new"
(cd "$new" && rm -rf ./*/exercise/*/solution ./*/exercise/*/wrong \
    ./*/exercise/*/remote.c ./*/exercise/remote_*.h tools/grade \
    tools/classroom docs/instructor.md .ci .github)
# Nor is a page left that leads to what is not there.
for page in README.md docs/index.md docs/exercises.md; do
    git show "HEAD:$page" | awk '/^## |^A teacher / { skip = /[Aa] teacher/ }
        !skip && !/instructor\.md/' >"$new/$page"
done
git show HEAD:tools/classroom/agents.md >"$new/AGENTS.md"

# What was handed out before and no longer is goes; the student's files stay.
files() {
    (cd "$1" && find . -type d \( -name build -o -name work -o -name .git \) \
        -prune -o -type f ! -name CHANGELOG.md ! -path ./run -print)
}
printf '# What has changed\n\n## %s, %s\n\n' "$(date -u +%Y-%m-%d)" "$commit" \
    >"$new/CHANGELOG.md"
{ files "$to" && files "$new"; } | sort -u | while read -r name; do
    if [ ! -f "$to/CHANGELOG.md" ] || cmp -s "$to/$name" "$new/$name"; then
        continue
    elif [ ! -f "$to/$name" ]; then
        echo "- new: ${name#./}"
    elif [ -f "$new/$name" ]; then
        echo "- changed: ${name#./}"
    else
        echo "- gone: ${name#./}"
        rm -f "$to/$name"
    fi
done >"$new.changes"
[ -f "$to/CHANGELOG.md" ] && as=nothing || as="handed out"
[ -s "$new.changes" ] || echo "- $as" >"$new.changes"
{ cat "$new.changes" && echo && sed 1,2d "$to/CHANGELOG.md" 2>/dev/null; } \
    >>"$new/CHANGELOG.md" || :
(cd "$new" && tar -cf - .) | tar -xf - -C "$to"
echo "$to: $(find "$new" -type f | wc -l) files of $commit"
echo "next: cd $to && make test"
