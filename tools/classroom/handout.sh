#!/bin/sh
# tools/classroom/handout.sh TO: the course as a student gets it: what is
# committed, without solutions, typical mistakes and the grader. TO is a new
# folder, or an earlier handout, which is renewed; its CHANGELOG.md says what
# has changed. A handout's file .handout lists what was handed out, with
# checksums: only that is ever renewed or removed, and what somebody has changed
# meanwhile is kept beside it, as NAME.mine.
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh

stop() {
    echo "$*" >&2
    exit 2
}
[ "${1-}" ] || stop "make handout: where to? TO=../handout"
commit=$(git rev-parse --short HEAD 2>/dev/null) ||
    stop "make handout: needs git, and this project's history"

# --- Where to -----------------------------------------------------------------

[ ! -e "$1" ] || [ -d "$1" ] || stop "TO=$1: is a file; a folder is wanted"
mkdir -p "$(dirname "$1")"
if [ -d "$1" ]; then
    to=$(cd "$1" && pwd -P)
else
    to=$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1")
fi
case $(pwd -P)/ in
"${to%/}"/*) stop "TO=$1: holds this project; a folder of its own is wanted" ;;
esac
title='# Written by make handout: what it renews or removes, and nothing else.'
began=
if [ -d "$to" ] && [ "$(ls -A "$to")" ]; then
    began=$(sed -n 1p "$to/.handout" 2>/dev/null) || :
    [ "$began" = "$title" ] ||
        stop "TO=$1: is no handout (no .handout in it), so nothing is written"
fi

# --- What a student gets ------------------------------------------------------

new=$to.new$$
lists=$(mktemp -d)
trap 'rm -rf "$new" "$lists"' EXIT
mkdir "$new"
git archive HEAD | tar -xf - -C "$new"
(cd "$new" && rm -rf ./*/exercise/*/solution ./*/exercise/*/wrong.diff \
    ./*/exercise/*/remote.* ./*/exercise/remote_*.h tools/grade \
    tools/classroom docs/instructor.md .ci .github CHANGELOG.md)
# Nor is a page left that leads to what is not there.
for page in README.md docs/index.md docs/exercises.md; do
    git show "HEAD:$page" | awk '/^## |^A teacher / { skip = /[Aa] teacher/ }
        !skip && !/instructor\.md/' >"$new/$page"
done
git show HEAD:tools/classroom/agents.md >"$new/AGENTS.md"

# --- What changes -------------------------------------------------------------

# sums FOLDER: reads names, and prints the checksum of each file that is there.
sums() {
    (cd "$1" && while read -r name; do
        [ ! -f "$name" ] || cksum "$name"
    done)
}
(cd "$new" && find . -type f | sort) >"$lists/names"
sums "$new" <"$lists/names" >"$lists/new"
if [ "$began" ]; then
    sed 1d "$to/.handout" >"$lists/old"
    sed 's/^[0-9]* [0-9]* //' "$lists/old" | sort -u - "$lists/names" |
        sums "$to" >"$lists/now"
else
    touch "$lists/old" "$lists/now"
fi

# A line for each file that is not yet as it will be: what becomes of it, whose
# it is by now, and its name.
awk '{
    sum = $1 " " $2
    name = $0
    sub(/^[0-9]+ [0-9]+ /, "", name)
    names[name]
    here[FILENAME, name] = sum
}
END {
    for (name in names) {
        old = here[ARGV[1], name]
        now = here[ARGV[2], name]
        new = here[ARGV[3], name]
        whose = now == old ? "ours" : "theirs"
        if (new == now)
            continue
        print (!now ? "new" : new ? "changed" : "gone"), whose, name
    }
}' "$lists/old" "$lists/now" "$lists/new" | sort -k3 >"$lists/changes"

# --- Handing it out -----------------------------------------------------------

# keep FILE: theirs, under the first free name beside it.
keep() {
    mine=$1.mine
    n=1
    while [ -e "$mine" ]; do
        n=$((n + 1))
        mine=$1.mine$n
    done
    mv "$1" "$mine"
}

{
    printf '# What has changed\n\n## %s, %s\n\n' "$(date -u +%Y-%m-%d)" "$commit"
    if [ ! "$began" ]; then
        echo "- handed out"
    elif [ ! -s "$lists/changes" ]; then
        echo "- nothing"
    fi
    while [ "$began" ] && read -r what whose name; do
        case $what:$whose in
        changed:theirs) keep "$to/$name" ;;
        gone:ours) rm "$to/$name" ;;
        gone:theirs) continue ;;
        esac
        echo "- $what: ${name#./}"
    done <"$lists/changes"
    echo
    sed 1,2d "$to/CHANGELOG.md" 2>/dev/null || :
} >"$new/CHANGELOG.md"
if [ "$began" ]; then
    (cd "$new" && tar -cf - .) | tar -xf - -C "$to"
else
    [ ! -d "$to" ] || rmdir "$to"
    mv "$new" "$to"
fi
{ echo "$title" && cat "$lists/new"; } >"$lists/handout"
mv "$lists/handout" "$to/.handout"
echo "$to: $(wc -l <"$lists/new") files of $commit"
echo "next: cd $to && make test"
