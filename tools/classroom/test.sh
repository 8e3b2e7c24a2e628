#!/bin/sh
# tools/classroom/test.sh: hands the course out, looks at what is written for
# courses' servers, and tries Gradescope's zip in a bare Debian whose /autograder
# is laid out as Gradescope does. What is handed out, and zipped, is what is
# committed. Ends with `N passed, N failed`.
#
# Of the last it needs root, unshare and the systems that tools/fresh_check.sh
# keeps; where they are not it says so, and the rest counts.
set -u
. tools/count.sh

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

# --- What courses' servers read ------------------------------------------------

# What the schema classroom50/result/v1, Gradescope's page on autograders, and
# Jenkins' junit-10.xsd ask for, each said again here.
cat >"$tmp/formats.py" <<'END'
import json, re, sys
import xml.etree.ElementTree as xml

def exactly(has, needs, may=()):
    assert set(needs) <= set(has) <= set(needs) | set(may), sorted(has)

def whole(x):
    assert type(x) is int and x >= 0, x

def gradescope(path):
    result = json.load(open(path))
    exactly(result, ["score", "tests"], ["visibility"])
    for t in result["tests"]:
        exactly(t, ["score", "max_score", "name", "status", "output",
                    "output_format", "visibility"])
        assert 0 <= t["score"] <= t["max_score"] and t["name"]
        assert t["status"] in ("passed", "failed")
        assert t["output_format"] == "text" and type(t["output"]) is str
        assert t["visibility"] == "visible"
    assert abs(result["score"] - sum(t["score"] for t in result["tests"])) < .01

def classroom50(path):
    result = json.load(open(path))
    text = ["schema", "classroom", "assignment", "assignment_type", "owner",
            "submission", "commit", "release", "review", "datetime"]
    exactly(result, text + ["score", "max-score", "tests"], ["graded_at"])
    assert all(type(result[k]) is str and result[k] for k in text)
    assert result["schema"] == "classroom50/result/v1"
    assert result["assignment_type"] in ("individual", "group")
    assert result["submission"].startswith("submit/")
    for k in "datetime", "graded_at":
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3])(:[0-5]\d){2}Z",
                            result[k])
    for t in result["tests"] + [result]:
        whole(t["score"])
        whole(t["max-score"])
        assert t["score"] <= t["max-score"]
    for t in result["tests"]:
        assert t["test-name"] and type(t["passed"]) is bool
    assert result["score"] == sum(t["score"] for t in result["tests"])

def junit(path):
    root = xml.parse(path).getroot()
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite" and suite.get("name")
        assert suite.get("errors") == "0"
        assert int(suite.get("tests")) == len(suite)
        assert int(suite.get("failures")) == len(suite.findall("*/failure"))
        for case in suite:
            assert case.tag == "testcase" and case.get("name")
            exactly(case.attrib, ["name", "classname"])
            for why in case:
                assert why.tag == "failure" and why.get("type") and why.text

globals()[sys.argv[1]](sys.argv[2])
END
student="$tmp/a \"student\" & <co>"
mkdir "$student"
cp 03_online_softmax/exercise/merge_parts/solution/merge_parts.c "$student"
cp 03_online_softmax/exercise/top_score/wrong/last_of_equals.c \
    "$student/top_score.c"
printf '#error "<&]]> \\ \303\274 \001"\n' >"$student/parts_in_any_order.c"
for format in gradescope classroom50 junit; do
    must "$format is written" env FORMAT=$format CHAPTER=03 CLASSROOM=c \
        ASSIGNMENT=a SUBMISSION_TAG=submit/1 COMMIT_URL=u RELEASE_URL=r \
        sh tools/classroom/grade.sh build/grade "$student" "$tmp/out.$format"
    if command -v python3 >/dev/null; then
        must "$format is as its readers ask" \
            python3 "$tmp/formats.py" "$format" "$tmp/out.$format"
    fi
done
must "without its environment there is no classroom50" not env \
    FORMAT=classroom50 sh tools/classroom/grade.sh build/grade "$student" \
    "$tmp/none.json"
must "nor a file" not test -e "$tmp/none.json"

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

finish
