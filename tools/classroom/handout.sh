#!/bin/sh
# tools/classroom/handout.sh TO: the course as a student gets it: what is
# committed, without solutions, typical mistakes and the grader. TO is a git
# repository of its own, made here if there is none: each handout is a commit, so
# that a student pulls the next one, and git keeps what they have changed.
set -eu
# shellcheck source=tools/environment.sh
. tools/environment.sh

stop() {
    echo "$*" >&2
    exit 2
}
to=${1:-}
[ "$to" ] || stop "make handout: where to? TO=../handout"
commit=$(git rev-parse --short HEAD 2>/dev/null) ||
    stop "make handout: needs git, and this project's history"
[ ! -e "$to" ] || [ -d "$to" ] || stop "TO=$to: is a file; a folder is wanted"
made=handout@flashattention.invalid
if [ -d "$to" ] && [ "$(ls -A "$to")" ]; then
    [ -e "$to/.git" ] && first=$(git -C "$to" log --format=%ae --reverse) &&
        [ "${first%%"
"*}" = "$made" ] || stop "TO=$to: is no handout, so nothing is written"
    [ -z "$(git -C "$to" status --porcelain)" ] ||
        stop "TO=$to: has changes of its own (git status); commit or remove them"
else
    git init -q "$to"
fi

# All that was handed out goes, and what is handed out now comes.
git -C "$to" rm -rq --ignore-unmatch .
git archive HEAD | tar -xf - -C "$to"
(cd "$to" && rm -rf ./*/exercise/*/solution ./*/exercise/*/wrong.diff \
    ./*/exercise/*/remote.* ./*/exercise/remote_*.h tools/grade \
    tools/classroom docs/instructor.md .ci .github)
# shellcheck disable=SC2016 # Markdown's, not the shell's
printf '# What has changed\n\n`git log --stat` lists it.\n' >"$to/CHANGELOG.md"
# Nor is a page left that leads to what is not there.
for page in README.md docs/index.md docs/exercises.md; do
    git show "HEAD:$page" | awk '/^## |^A teacher / { skip = /[Aa] teacher/ }
        !skip && !/instructor\.md/' >"$to/$page"
done
git show HEAD:tools/classroom/agents.md >"$to/AGENTS.md"
git -C "$to" add -A
git -C "$to" -c user.name=handout -c user.email=$made commit -q --allow-empty \
    -m "The course at $commit"
git -C "$to" show --stat=80 --format=%s HEAD | tail -n 1
echo "next: cd $to && make test"
