"""Grades a class: what make grade does (docs/instructor.md).

    class.py MADE DIR [OUT]

DIR has a folder for each student, with any of the exercises' files; OUT gets a
row for each student, and OUT's folder .d/ a table of all exercises and what each
student is to read. A run that was stopped goes on where it was: what has not
changed is not graded again.

Environment: FORMAT (csv; of the others DIR is one student's folder), CHAPTER (all
if empty), JOBS, VARIANT.
"""
import collections
import concurrent.futures
import contextlib
import csv
import hashlib
import json
import os
import re
import sys
import time
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../grade"))
import grade  # noqa: E402

Grade = collections.namedtuple("Grade", "ident points of verdict text")
with open(f"{grade.ROOT}/tools/exercises.txt") as listed:
    IDENTS = {name: f"{line[:2]}_{name}" for line in listed if line[0] != "#"
              for name in line[3:].split()}


@contextlib.contextmanager
def whole(path):
    """A file to write, which is there whole or not at all."""
    with open(path + ".part", "w") as file:
        yield file
    os.rename(path + ".part", path)


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
            if kind not in (".c", ".cu"):
                continue
            if ident and below in (".", ident[:2], f"work/{ident[:2]}"):
                files.setdefault(ident, grade.contents(name, at))
            elif not handout or below[:4] == "work":
                others.append(grade.plain(os.path.normpath(f"{below}/{name}")))
    return files, others


def graded(it, data, others, path):
    """The grade of an exercise, as it was or anew."""
    judge = it.part("judge")
    key = hashlib.sha256(repr((judge, it.variant, data, others)).encode()).hexdigest()
    with contextlib.suppress(OSError, ValueError), open(path) as file:
        was, points, verdict, text = file.read().split("\n", 3)
        if was == key:
            return Grade(it.ident, float(points), it.of, verdict, text)
    points, verdict, text = 0, "not handed in", "".join(
        f"No exercise has the name of {other}.\n" for other in others[:5])
    if data is not None:
        points, verdict, text = it.graded(data)
    with whole(path) as file:
        file.write(f"{key}\n{points:.1f}\n{verdict}\n{text}")
    return Grade(it.ident, round(float(points), 1), it.of, verdict, text)


def all_of(student, path, exercises, told):
    """The grades of a student's exercises, and to the teacher what has none."""
    files, others = handed_in(path)
    for other in others:
        print(f"{grade.plain(student)}: {other}: not graded, since no exercise has"
              " that name", file=sys.stderr)
    # A name may hold anything: what of it is letters, then its digest.
    name = (re.sub("[^a-zA-Z0-9]", "_", student)[:40] + "_" +
            hashlib.sha256(os.fsencode(student)).hexdigest()[:12])
    return [graded(it, files.get(it.ident), others, f"{told}/{name}.{it.ident}")
            for it in exercises]


# --- What a course's server reads -------------------------------------------------

def gradescope(student, grades):
    return json.dumps(dict(
        score=round(sum(g.points for g in grades), 1), visibility="visible", tests=[
            dict(name=g.ident, score=g.points, max_score=g.of, output=output(g),
                 status="passed" if g.verdict == "passed" else "failed",
                 output_format="text", visibility="visible") for g in grades]))


def classroom50(student, grades):
    """Schema classroom50/result/v1, whose points are whole."""
    def said(name):
        return os.environ.get(name) or sys.exit(
            f"FORMAT=classroom50: the environment has no {name}")
    maybe = os.environ.get
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return json.dumps({
        "schema": "classroom50/result/v1", "classroom": said("CLASSROOM"),
        "assignment": said("ASSIGNMENT"), "submission": said("SUBMISSION_TAG"),
        "commit": said("COMMIT_URL"), "release": said("RELEASE_URL"),
        "assignment_type": maybe("ASSIGNMENT_TYPE") or "individual",
        "owner": maybe("OWNER") or maybe("USERNAME") or student,
        "review": maybe("REVIEW_URL") or said("COMMIT_URL"),
        "datetime": now, "graded_at": now,
        "score": sum(int(g.points) for g in grades),
        "max-score": sum(g.of for g in grades), "tests": [{
            "test-name": g.ident, "passed": g.verdict == "passed",
            "score": int(g.points), "max-score": g.of,
            "output": output(g)} for g in grades]})


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
            xml.SubElement(case, "failure", type=g.verdict).text = output(g)
    return xml.tostring(top, encoding="us-ascii", xml_declaration=True).decode()


def output(g):
    return f"{g.verdict}\n{g.text}".rstrip()


FORMATS = {"csv": (None, "grades.csv"), "gradescope": (gradescope, "results.json"),
           "classroom50": (classroom50, "result.json"), "junit": (junit, "junit.xml")}


def table(path, rows):
    """csv, in which no cell is a formula to a program that opens it."""
    with whole(path) as file:
        csv.writer(file, lineterminator="\n").writerows(
            ["'" + cell if str(cell)[:1] in tuple("=+-@\t") else cell for cell in row]
            for row in rows)


# --- A class ----------------------------------------------------------------------

def main(made, where, out=""):
    os.umask(0o077)
    chosen = os.environ.get("FORMAT") or "csv"
    chapter = os.environ.get("CHAPTER") or ""
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

    rows = [("student", "points", "of", "passed", "handed in", "exercises")]
    details = [("student", "chapter", "exercise", "points", "of", "verdict")]
    with concurrent.futures.ThreadPoolExecutor(
            int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        for student, grades in zip(map(grade.plain, students), pool.map(
                lambda at: all_of(*at, exercises, told), students.items())):
            details += [(student, g.ident[:2], g.ident[3:], f"{g.points:.1f}", g.of,
                         g.verdict) for g in grades]
            verdicts = [g.verdict for g in grades]
            rows.append((student, f"{sum(g.points for g in grades):.1f}",
                         sum(g.of for g in grades), verdicts.count("passed"),
                         len(grades) - verdicts.count("not handed in"), len(grades)))
    table(f"{told}/exercises.csv", details)
    if form:
        with whole(out) as file:
            file.write(form(student, grades) + "\n")
    else:
        table(out, rows)
    print(f"next: open {grade.plain(out)}")


if __name__ == "__main__":
    grade.command(main)
