"""Grades a class: what make grade does (docs/instructor.md).

    class.py MADE DIR [OUT]

OUT gets a row for each student of DIR, OUT's folder .d/ what each is to read. What
has not changed since a run that was stopped is not graded again.
Environment: FORMAT (csv; of the others DIR is one student's folder), CHAPTER (all
if empty), JOBS, VARIANT.
"""
import collections
import concurrent.futures
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import sys
import time
import xml.etree.ElementTree as xml

import grade

Grade = collections.namedtuple("Grade", "ident of points verdict output")
SAID = {name: value for name, value in os.environ.items() if value}
IDENTS = {name: f"{line[:2]}_{name}" for line in pathlib.Path(
    grade.ROOT, "tools/exercises.txt").read_text().splitlines() if line[0] != "#"
    for name in line[3:].split()}


def write(path, text):
    """A file that is there whole or not at all."""
    pathlib.Path(f"{path}.part").write_text(text)
    os.rename(f"{path}.part", path)


# --- A student's files ------------------------------------------------------------

def handed_in(path):
    """Of a student's folder the contents of the exercises' files, or why there
    are none; and the names of other files. No link is followed."""
    files, others = {}, []
    handout = os.path.exists(f"{path}/tools/exercise.sh")
    for here, folders, names, at in os.fwalk(path):
        below = os.path.relpath(here, path)
        folders[:] = sorted(name for name in folders if name[0] != "."
                            and below.count("/") < 3)
        for name in sorted(names):
            of, kind = os.path.splitext(name)
            ident = IDENTS.get(of, "")
            if kind in (".c", ".cu") and ident and below in (
                    ".", ident[:2], f"work/{ident[:2]}"):
                files.setdefault(ident, grade.contents(name, at))
            elif kind in (".c", ".cu") and (not handout or below[:4] == "work"):
                others.append(grade.plain(os.path.normpath(f"{below}/{name}")))
    return files, others


def graded(it, data, path):
    """The grade of what grade.contents() gave, as it was or anew."""
    key = hashlib.sha256(repr(((it.made / "judge").read_bytes(), it.variant,
                               data)).encode()).hexdigest()
    kept = os.path.exists(path) and pathlib.Path(path).read_text()
    if not kept or kept.split("\n")[0] != key:
        points, verdict, text = it.graded(data)
        kept = f"{key}\n{points:.1f}\n{verdict}\n{text}"
        write(path, kept)
    _, points, verdict, text = kept.split("\n", 3)
    return Grade(it.ident, it.of, float(points), verdict, f"{verdict}\n{text}".rstrip())


def all_of(student, path, exercises, told):
    """The grades of a student's exercises, and to the teacher what has none."""
    files, others = handed_in(path)
    for other in others:
        print(f"{grade.plain(student)}: {other}: not graded, since no exercise has"
              " that name", file=sys.stderr)
    missing = "\n  ".join(["It was not handed in.", *(
        f"No exercise has the name of {other}." for other in others[:5])])
    # A name may hold anything: what of it is letters, then its digest.
    name = (re.sub("[^a-zA-Z0-9]", "_", student)[:40] + "_" +
            hashlib.sha256(os.fsencode(student)).hexdigest()[:12])
    return [graded(it, files.get(it.ident, missing), f"{told}/{name}.{it.ident}")
            for it in exercises]


# --- What a course's server reads -------------------------------------------------

def gradescope(student, grades):
    return json.dumps(dict(
        score=round(sum(g.points for g in grades), 1), visibility="visible", tests=[
            dict(name=g.ident, score=g.points, max_score=g.of, output=g.output,
                 status="passed" if g.verdict == "passed" else "failed",
                 output_format="text", visibility="visible") for g in grades]))


def classroom50(student, grades):
    """Schema classroom50/result/v1, whose points are whole."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        return json.dumps({
            "schema": "classroom50/result/v1", "classroom": SAID["CLASSROOM"],
            "assignment": SAID["ASSIGNMENT"], "submission": SAID["SUBMISSION_TAG"],
            "commit": SAID["COMMIT_URL"], "release": SAID["RELEASE_URL"],
            "assignment_type": SAID.get("ASSIGNMENT_TYPE", "individual"),
            "owner": SAID.get("OWNER", SAID.get("USERNAME", student)),
            "review": SAID.get("REVIEW_URL", SAID["COMMIT_URL"]),
            "datetime": now, "graded_at": now,
            "score": sum(int(g.points) for g in grades),
            "max-score": sum(g.of for g in grades), "tests": [{
                "test-name": g.ident, "passed": g.verdict == "passed",
                "score": int(g.points), "max-score": g.of,
                "output": g.output} for g in grades]})
    except KeyError as name:
        sys.exit(f"FORMAT=classroom50: the environment has no {name}")


def junit(student, grades):
    """As Jenkins reads it: a test case an exercise."""
    bad = [g for g in grades if g.verdict != "passed"]
    top = xml.Element("testsuites")
    suite = xml.SubElement(top, "testsuite", name="flashattention", errors="0",
                           tests=str(len(grades)), failures=str(len(bad)))
    for g in grades:
        case = xml.SubElement(suite, "testcase", classname=g.ident[:2],
                              name=g.ident[3:])
        if g in bad:
            xml.SubElement(case, "failure", type=g.verdict).text = g.output
    return xml.tostring(top, encoding="us-ascii", xml_declaration=True).decode()


FORMATS = {"csv": (None, "grades.csv"), "gradescope": (gradescope, "results.json"),
           "classroom50": (classroom50, "result.json"), "junit": (junit, "junit.xml")}


def csv_of(head, rows):
    """In which no cell is a formula to a program that opens it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        ["'" + cell if str(cell)[:1] in tuple("=+-@\t") else cell for cell in row]
        for row in (head, *rows))
    return text.getvalue()


# --- A class ----------------------------------------------------------------------

def main(made, where, out=""):
    os.umask(0o077)
    chosen = SAID.get("FORMAT", "csv")
    chapter = SAID.get("CHAPTER", "")
    if chosen not in FORMATS:
        sys.exit(f"FORMAT={grade.plain(chosen)}: {', '.join(FORMATS)}")
    if not os.path.isdir(where):
        sys.exit(f"DIR={grade.plain(where)}: no such folder" if where else
                 "make grade: which class? DIR=submissions (one file: make grade-NN"
                 " FILE=my.c)")
    form, usual = FORMATS[chosen]
    out = out or usual
    where = os.path.realpath(where)
    students = {os.path.basename(where): where} if form else {
        at.name: at.path for at in sorted(os.scandir(where), key=lambda at: at.name)
        if at.is_dir() and at.name[0] != "."}
    exercises = [grade.Exercise(made, ident) for ident in sorted(IDENTS.values())
                 if ident.startswith(chapter) and
                 os.path.exists(f"{made}/{ident}/made")]
    if not students or not exercises:
        sys.exit(f"CHAPTER={grade.plain(chapter)}: has no exercise" if students else
                 f"DIR={grade.plain(where)}: has no student's folder")
    print(grade.guarded(), flush=True)
    told = os.path.splitext(out)[0] + ".d"
    os.makedirs(told, exist_ok=True)
    os.chmod(told, 0o700)

    with concurrent.futures.ThreadPoolExecutor(
            int(SAID.get("JOBS", os.cpu_count()))) as pool:
        graded_all = list(zip(map(grade.plain, students), pool.map(
            lambda at: all_of(*at, exercises, told), students.items())))
    write(f"{told}/exercises.csv", csv_of(
        ("student", "chapter", "exercise", "points", "of", "verdict"), (
            (student, g.ident[:2], g.ident[3:], g.points, g.of, g.verdict)
            for student, grades in graded_all for g in grades)))
    write(out, form(*graded_all[0]) + "\n" if form else csv_of(
        ("student", "points", "of", "passed", "handed in", "exercises"), (
            (student, round(sum(g.points for g in grades), 1),
             sum(g.of for g in grades), sum(g.verdict == "passed" for g in grades),
             sum(g.verdict != "no file" for g in grades), len(grades))
            for student, grades in graded_all)))
    print(f"next: open {grade.plain(out)}")


grade.command(main)
