#!/bin/sh
# tools/classroom/test.sh: tests the handout, the results for courses' servers, and
# Gradescope's zip. Handout and zip have only committed files.
# shellcheck disable=SC2016 # expanded inside
set -u
. tools/tally.sh

# --- The handout --------------------------------------------------------------

made=$tmp/handout
to=$tmp/clone
must "a handout is made" sh tools/classroom/handout.sh "$made"
git clone -q "$made" "$to"
must "there are no solutions, nor mistakes" not sh -c \
    'find "$1" -name solution -o -name mistakes.diff | grep .' sh "$to"
for file in 0[1-7]_*/exercise/*/solution/*; do cksum <"$file"; done >"$tmp/sums"
must "no file is a solution" not sh -c 'find "$1" -type f | while read -r f; do
    cksum <"$f"; done | grep -xFf "$2"' sh "$to" "$tmp/sums"
must "all links of its pages are valid" sh -c \
    'cd "$1" && python3 tools/docs.py links README.md docs/*.md docs/results/*.md' sh "$to"
must "the handout has rules for an assistant" grep -q "Explain" "$to/AGENTS.md"
must "it builds, and its tests run" make -C "$to" test-03
must "an exercise begins" sh -c \
    'make -C "$1" exercise-03 E=merge_parts | grep "not yet"' sh "$to"
must "a hint comes" make -C "$to" hint-03 E=merge_parts
must "its help has no target of the teacher" not sh -c \
    'make -C "$1" help-all | grep -wE "grade|grade-NN|wrong-NN|handout"' sh "$to"
must "they print an error" sh -c \
    'make -C "$1" wrong-03 2>&1 | grep "wrong-03: for teachers"' sh "$to"
echo mine >"$to/mine.c"
must "a second handout is made" sh tools/classroom/handout.sh "$made"
must "a student pulls it" git -C "$to" pull -q --ff-only
must "it is one more commit" [ "$(git -C "$to" log --oneline | wc -l)" -eq 2 ]
must "and their files stay" grep -q mine "$to/mine.c"

mkdir "$tmp/pasted"
must "the command for a clone may be pasted" sh -c '
    sh tools/classroom/handout.sh "$1/one'"'"'s own" >"$1/said" &&
    cd "$1/pasted" && sed -n "s/^next: //p" ../said | sh && [ -d "one'"'"'s own" ]' \
    sh "$tmp"

# The script does not write to a folder that is no handout, such as the project, its
# parent folder or another repository.
mkdir "$tmp/other"
echo mine >"$tmp/other/README.md"
git init -q "$tmp/theirs"
cp "$tmp/other/README.md" "$tmp/theirs"
ln -s "$PWD" "$tmp/link"
git status --porcelain >"$tmp/before"
for where in . .. / "$tmp/link" docs/.. "$tmp/other" "$tmp/theirs" docs "$to" \
    inside build/none/inside "$tmp/link/inside"; do
    must "$where is refused" not sh tools/classroom/handout.sh "$where"
done
git status --porcelain >"$tmp/after"
must "the project has not changed" cmp "$tmp/before" "$tmp/after"
must "the other folders have not changed" cmp "$tmp/other/README.md" "$tmp/theirs/README.md"

# --- Results for courses' servers ----------------------------------------------

# Checks a result by the schema classroom50/result/v1 or Gradescope's page on
# autograders: for each key a type or a pattern. For JUnit it checks the counts of
# Jenkins' junit-10.xsd.
cat >"$tmp/formats.py" <<'END'
import json, re, sys
import xml.etree.ElementTree as xml

TIME = r"\d{4}-\d\d-\d\dT([01]\d|2[0-3])(:[0-5]\d){2}Z"
JSON = {
    "gradescope": {"score": float, "visibility": "visible", "tests": {
        "score": float, "max_score": int, "name": ".+", "output": ".*",
        "status": "passed|failed", "output_format": "text",
        "visibility": "visible"}},
    "classroom50": {"schema": "classroom50/result/v1", "classroom": ".+",
        "assignment": ".+", "assignment_type": "individual|group",
        "owner": ".+", "submission": "submit/.*", "commit": ".+",
        "release": ".+", "review": ".+", "datetime": TIME, "graded_at": TIME,
        "score": int, "max-score": int, "tests": {
            "test-name": ".+", "passed": bool, "score": int, "max-score": int,
            "output": ".*"}}}

def like(has, wanted):
    assert set(has) == set(wanted), has
    for name, what in wanted.items():
        if type(what) is dict:
            [like(one, what) for one in has[name]]
        elif type(what) is str:
            assert re.fullmatch(what, has[name], re.S), (name, has[name])
        else:
            assert type(has[name]) is what, (name, has[name])
    assert 0 <= has["score"] <= has.get("max_score", has.get("max-score", 1e9))

kind, path = sys.argv[1:]
if kind == "junit":
    for suite in xml.parse(path).getroot():
        assert len(suite) == int(suite.get("tests"))
        for of in "failure", "skipped":
            n = len(suite.findall(f"*/{of}"))
            assert n == int(suite.get(of.replace("re", "res"))), of
        assert n == 1, n # one failure, and one exercise not handed in
        times = [float(case.get("time")) for case in suite]
        assert abs(sum(times) - float(suite.get("time"))) < .1 and sum(times) > 0
        assert all(why.get("type") and why.text for why in suite.iter("failure"))
else:
    result = json.load(open(path))
    like(result, JSON[kind])
    assert abs(result["score"] - sum(t["score"] for t in result["tests"])) < .01
END
solution=03_online_softmax/exercise/merge_parts/solution/merge_parts.c
student="$tmp/a \"student\" & <co>"
mkdir "$student"
# This submission prints its arguments, to reveal a variant's inputs.
{
    printf '#include <stdio.h>\n#define merge_parts of_course\n'
    cat $solution
    printf '#undef merge_parts\npart merge_parts(part a, part b)\n'
    printf '{\n    fprintf(stderr, "of %%.9g\\n", (double)a.m);\n'
    printf '    part p = of_course(a, b);\n    p.l += b.l == 0 && a.l > 0;\n'
    printf '    return p;\n}\n'
} >"$student/merge_parts.c"
printf '#error "<&]]> \\ \303\274 \001"\n' >"$student/parts_in_any_order.c"
for format in gradescope classroom50 junit; do
    must "$format is written" env FORMAT=$format CHAPTER=03 CLASSROOM=c \
        ASSIGNMENT=a SUBMISSION_TAG=submit/1 COMMIT_URL=u RELEASE_URL=r \
        /usr/bin/python3 -BEs tools/grade/class.py build/grade "$student" \
        "$tmp/out.$format"
    ! command -v python3 >/dev/null || must "$format has the right schema" \
        python3 "$tmp/formats.py" "$format" "$tmp/out.$format"
done
for format in gradescope classroom50 junit; do
    env FORMAT=$format VARIANT=4711 CHAPTER=03 CLASSROOM=c ASSIGNMENT=a \
        SUBMISSION_TAG=submit/1 COMMIT_URL=u RELEASE_URL=r \
        /usr/bin/python3 -BEs tools/grade/class.py build/grade "$student" \
        "$tmp/secret.$format" >/dev/null
    must "$format has the claims, with a secret variant" \
        grep -q "FAILED  the_empty_part_changes_nothing" "$tmp/secret.$format"
    must "$format shows nothing of the variant" not \
        grep -E '4711|want|of 0\.5' "$tmp/secret.$format"
    must "$format shows it without one" grep -q "of 0.5" "$tmp/out.$format"
done
must "without its environment there is no classroom50" not env \
    FORMAT=classroom50 /usr/bin/python3 -BEs \
        tools/grade/class.py build/grade "$student" \
    "$tmp/none.json"
must "and no file" not test -e "$tmp/none.json"
must "CHAPTER in the environment is refused" sh -c \
    '! CHAPTER=03 make grade DIR="$1" >"$1/said" 2>&1 && grep CHAPTER: "$1/said"' \
    sh "$tmp"
mkdir "$tmp/class" && cp -r "$student" "$tmp/class"
# By default the table is next to the folder of the judges, here $tmp/grade.
ln -s "$PWD/build/grade" "$tmp/grade"
git status --porcelain >"$tmp/before"
must "a class is graded" env CHAPTER=03 \
    /usr/bin/python3 -BEs tools/grade/class.py "$tmp/grade" "$tmp/class"
git status --porcelain >"$tmp/after"
must "and the repository has not changed" cmp "$tmp/before" "$tmp/after"
must "the table is next to the judges" grep -q "^student,.*03_top_score" "$tmp/grades.csv"
must "a chapter that does not exist is an error" not make grade CHAPTER=0 DIR="$tmp/class"

# --- Gradescope ---------------------------------------------------------------

must "the zip is made" make gradescope CHAPTER=03 OUT="$tmp/autograder.zip"
for file in setup.sh run_autograder flashattention/Makefile; do
    must "$file is in it" sh -c 'python3 -m zipfile -l "$1" | grep "^$2 "' \
        sh "$tmp/autograder.zip" $file
done

finish
