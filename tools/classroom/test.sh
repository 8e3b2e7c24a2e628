#!/bin/sh
# tools/classroom/test.sh: tests the handout, the results for courses' servers, and
# Gradescope's zip. The handout and the zip contain no uncommitted changes.
# shellcheck disable=SC2016 # `eval` expands the variables
set -u
. tools/tally.sh

made=$tmp/handout
to=$tmp/clone
must "a handout is made" sh tools/classroom/handout.sh "$made"
git clone -q "$made" "$to"
must "a handout has no folder solution and no mistakes.diff" not eval \
    'find "$to" -name solution -o -name mistakes.diff | grep .'
for file in 0[1-7]_*/exercise/*/solution/*; do cksum <"$file"; done >"$tmp/sums"
must "no file of a handout is equal to a solution" not eval 'find "$to" -type f |
    while read -r f; do cksum <"$f"; done | grep -xFf "$tmp/sums"'
must "all links of a handout's pages are valid" eval '(cd "$to" &&
    python3 tools/docs.py links README.md docs/*.md docs/results/*.md)'
must "a handout has rules for an AI assistant" grep -q "Explain" "$to/AGENTS.md"
must "a handout builds, and its tests pass" make -C "$to" test-03
must "an exercise of a handout begins" eval \
    'make -C "$to" exercise-03 E=merge_parts | grep "copied from the skeleton"'
must "a handout prints a hint" make -C "$to" hint-03 E=merge_parts
must "the help of a handout lists no target for teachers" not eval \
    'make -C "$to" help-all | grep -wE "grade|grade-NN|wrong-NN|handout"'
must "in a handout a target for teachers prints an error" eval \
    'make -C "$to" wrong-03 2>&1 | grep "wrong-03: for teachers"'
echo mine >"$to/mine.c"
must "a handout has only the exercises of E" eval '
    sh tools/classroom/handout.sh "$tmp/some" merge_parts,04 >/dev/null &&
    git clone -q "$tmp/some" "$tmp/few" && [ "$(ls -d "$tmp"/few/0*/exercise/*/ |
        wc -l)" -eq 4 ] && [ "$(grep -c "^| .exercise-" "$tmp/few/docs/exercises.md")" -eq 4 ]'
must "a handout of an unknown exercise is refused" not eval \
    'sh tools/classroom/handout.sh "$tmp/no" merge_part || [ -e "$tmp/no" ]'
must "a second handout is made" sh tools/classroom/handout.sh "$made"
must "a student pulls the second handout" git -C "$to" pull -q --ff-only
must "the second handout is one more commit" \
    [ "$(git -C "$to" log --oneline | wc -l)" -eq 2 ]
must "pulling keeps a student's files" grep -q mine "$to/mine.c"

mkdir "$tmp/pasted"
quoted="$tmp/one's own"
must "the printed git clone command works in a shell" eval '
    sh tools/classroom/handout.sh "$quoted" >"$tmp/said" && (cd "$tmp/pasted" &&
        sed -n "s/^next: //p" ../said | sh && [ -d "${quoted##*/}" ])'

# handout.sh must not write to a folder that is no handout.
mkdir "$tmp/other"
echo mine >"$tmp/other/README.md"
git init -q "$tmp/theirs"
cp "$tmp/other/README.md" "$tmp/theirs"
ln -s "$PWD" "$tmp/link"
git status --porcelain >"$tmp/before"
for where in . .. / "$tmp/link" docs/.. "$tmp/other" "$tmp/theirs" docs "$to" \
    inside build/none/inside "$tmp/link/inside"; do
    must "TO=$where is refused" not sh tools/classroom/handout.sh "$where"
done
git status --porcelain >"$tmp/after"
must "handout.sh does not change the project" cmp "$tmp/before" "$tmp/after"
must "handout.sh does not change other folders" \
    cmp "$tmp/other/README.md" "$tmp/theirs/README.md"

# formats.py checks the type or pattern of each value. For JUnit it checks counts, times
# and the texts of failures.
cat >"$tmp/formats.py" <<'END'
import json, re, sys
import xml.etree.ElementTree as xml

TIME = r"\d{4}-\d\d-\d\dT([01]\d|2[0-3])(:[0-5]\d){2}Z"
JSON = {
    "gradescope": {"score": float, "visibility": "visible", "output": ".*", "tests": {
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
        assert n == 1, n # one exercise fails, and one is not handed in
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
# This submission prints its arguments, and so tries to reveal a variant's inputs.
{
    printf '#include <stdio.h>\n#define merge_parts of_course\n'
    cat $solution
    printf '#undef merge_parts\npart merge_parts(part a, part b)\n'
    printf '{\n    fprintf(stderr, "of %%.9g\\n", (double)a.m);\n'
    printf '    part p = of_course(a, b);\n    p.l += b.l == 0 && a.l > 0;\n'
    printf '    return p;\n}\n'
} >"$student/merge_parts.c"
printf '#error "<&]]> \\ \303\274 \001"\n' >"$student/catch_mistakes.c"
# graded OUT NAME=VALUE...: grades $student with this environment, and writes OUT.
graded() {
    out=$1
    shift
    env "$@" /usr/bin/python3 -BEs tools/grade/class.py build/grade "$student" "$out"
}
server="CHAPTER=03 CLASSROOM=c ASSIGNMENT=a SUBMISSION_TAG=submit/1 COMMIT_URL=u
    RELEASE_URL=r"
for format in gradescope classroom50 junit; do
    # shellcheck disable=SC2086 # several words
    must "a $format result is written" graded "$tmp/out.$format" FORMAT=$format $server
    must "the $format result matches its schema" \
        python3 "$tmp/formats.py" "$format" "$tmp/out.$format"
    # shellcheck disable=SC2086 # several words
    graded "$tmp/secret.$format" FORMAT=$format VARIANT=4711 $server >/dev/null
    must "with a secret variant the $format result lists the tests" \
        grep -q "FAILED  the_empty_part_changes_nothing" "$tmp/secret.$format"
    must "$format shows nothing of the variant" not \
        grep -E '4711|want|of 0\.5' "$tmp/secret.$format"
    must "$format shows the inputs without a variant" grep -q "of 0.5" "$tmp/out.$format"
done
cat >"$tmp/about.json" <<'END'
{"created_at": "2026-07-03T01:00:00.000000-07:00", "users": [{"name": "x"}],
 "assignment": {"due_date": "2026-07-01T23:00:00.000000-07:00"},
 "previous_submissions": [{"score": "4.25"}, {"score": null}]}
END
# scores LATE BEST: prints the score of $student with these settings.
scores() {
    graded "$tmp/late.json" FORMAT=gradescope E=merge_parts LATE="$1" BEST="$2" \
        METADATA="$tmp/about.json" >/dev/null &&
        python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(
            round(r["score"] / r["tests"][0]["score"], 2) or r["score"], r["output"])' \
            "$tmp/late.json"
}
must "two days late cost two times LATE percent" eval \
    'scores 20 "" | grep "^0.6 late, day 2: each day costs 20%"'
must "a late score is at least 0" eval 'scores 60 "" | grep "^0.0 late, day 2"'
must "with BEST an earlier score counts" eval \
    'scores 60 1 | grep "an earlier submission counts, with 4.2 points"'
must "LATE is a percentage" not graded "$tmp/none.json" FORMAT=gradescope LATE=200
must "classroom50 without its environment is refused" not graded \
    "$tmp/none.json" FORMAT=classroom50
must "a refused classroom50 writes no file" not test -e "$tmp/none.json"
must "CHAPTER in the environment is refused" eval \
    '! CHAPTER=03 make grade DIR="$tmp" >"$tmp/said" 2>&1 && grep CHAPTER: "$tmp/said"'
mkdir "$tmp/class" && cp -r "$student" "$tmp/class"
# By default class.py writes the table next to the folder of the judges, here $tmp/grade.
ln -s "$PWD/build/grade" "$tmp/grade"
git status --porcelain >"$tmp/before"
must "a class is graded" env CHAPTER=03 \
    /usr/bin/python3 -BEs tools/grade/class.py "$tmp/grade" "$tmp/class"
git status --porcelain >"$tmp/after"
must "grading a class does not change the repository" cmp "$tmp/before" "$tmp/after"
must "by default the table is next to the folder of the judges" \
    grep -q "^student,.*03_top_score" "$tmp/grades.csv"
must "a chapter that does not exist is an error" \
    not make grade CHAPTER=0 DIR="$tmp/class"
for wrong in VARIANT=x LATE=abc LATE=101; do
    must "make gradescope refuses $wrong" eval 'not make gradescope "$wrong" \
        OUT="$tmp/none.zip" && not test -e "$tmp/none.zip"'
done
must "make grade refuses VARIANT=x" eval 'not make grade VARIANT=x E=top_score \
    DIR="$tmp/class" CSV="$tmp/none.csv" && not test -e "$tmp/none.csv"'

must "make gradescope makes a zip" make gradescope CHAPTER=03 OUT="$tmp/autograder.zip"
for file in setup.sh run_autograder flashattention/Makefile; do
    must "the zip has $file" eval \
        'python3 -m zipfile -l "$tmp/autograder.zip" | grep "^$file "'
done

finish
