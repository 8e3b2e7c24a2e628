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
import io
import json
import os
import re
import signal
import sys
import time
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../grade"))
import grade  # noqa: E402

Grade = collections.namedtuple("Grade", "ident points of verdict text")


# --- A student's files ------------------------------------------------------------

class Student:
    def __init__(self, name, path, follow):
        self.name, self.path = grade.plain(name), path
        self.flags = os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW)
        # A name may hold anything: what of it is letters, then its digest.
        self.file = (re.sub("[^a-zA-Z0-9]", "_", name)[:40] + "_" +
                     hashlib.sha256(os.fsencode(name)).hexdigest()[:12])

    @contextlib.contextmanager
    def folder(self, below=""):
        """That folder of the student's, of which none on the way is a link."""
        at = os.open(self.path, self.flags)
        try:
            for part in below.split("/")[:-1]:
                outer, at = at, os.open(part, self.flags | os.O_NOFOLLOW,
                                        dir_fd=at)
                os.close(outer)
            yield at
        finally:
            os.close(at)

    def handed_in(self, it):
        """The contents of an exercise's file, or why there are none; None: there
        is none."""
        for below in "", f"{it.ident[:2]}/", "work/", f"work/{it.ident[:2]}/":
            for kind in "c", "cu":
                try:
                    with self.folder(below) as at:
                        name = f"{it.name}.{kind}"
                        os.stat(name, dir_fd=at, follow_symlinks=False)
                        try:
                            return grade.contents(name, at)
                        except (grade.Refused, OSError) as why:
                            return why
                except OSError:
                    pass
        return None

    def nobodys(self, asked):
        """Files that no exercise asks for, the first five. Of a handout that is
        what its work/ holds."""
        left = []
        with contextlib.suppress(OSError), self.folder() as at:
            handout = os.path.exists(f"{self.path}/tools/exercise.sh")
            for here, folders, files, _ in os.fwalk(
                    "work" if handout else ".", dir_fd=at):
                folders[:] = [name for name in folders if name[0] != "."]
                left += [os.path.normpath(f"{here}/{name}") for name in files
                         if name[0] != "." and not name.endswith(".hints")]
        left = sorted(grade.plain(path) for path in left if not re.fullmatch(
            rf"(work/)?(\d\d/)?({'|'.join(asked)})\.cu?", path))
        return left[:5] + ([f"and {len(left) - 5} more"] if left[5:] else [])

    def graded(self, it, told, left):
        """The grade of an exercise, as it was or anew: in a file, whole or not
        at all."""
        path = f"{told}/{self.file}.{it.ident}"
        data = self.handed_in(it)
        key = hashlib.sha256(repr((it.key, os.environ.get("VARIANT"), data,
                                   left if data is None else "")).encode())
        with contextlib.suppress(OSError, ValueError), open(path) as file:
            was, first, text = file.read().split("\n", 2)
            if was == key.hexdigest():
                points, of, verdict = first.split(" ", 2)
                return Grade(it.ident, float(points), int(of), verdict, text)
        if data is None:
            points, verdict, text = 0.0, "not handed in", "".join(
                f"{line}\n" for line in ["No exercise has the name of:", *left]
                if left)
        else:
            points, verdict, text = it.graded(data)
        with open(path + ".new", "w") as file:
            file.write(f"{key.hexdigest()}\n{points:.1f} {it.of} {verdict}\n{text}")
        os.rename(path + ".new", path)
        return Grade(it.ident, round(points, 1), it.of, verdict, text)


# --- What a course's server reads -------------------------------------------------

def ascii_of(g):
    """Verdict and text, as all of these can read them."""
    return f"{g.verdict}\n{g.text}".rstrip().encode("ascii", "replace").decode()


def gradescope(student, grades):
    return json.dumps({
        "score": round(sum(g.points for g in grades), 1), "visibility": "visible",
        "tests": [{
            "name": g.ident, "score": float(g.points), "max_score": g.of,
            "status": "passed" if g.verdict == "passed" else "failed",
            "output": ascii_of(g), "output_format": "text",
            "visibility": "visible"} for g in grades]}, indent=1)


CLASSROOM = dict(classroom="CLASSROOM", assignment="ASSIGNMENT",
                 submission="SUBMISSION_TAG", commit="COMMIT_URL",
                 release="RELEASE_URL")


def classroom50(student, grades):
    """Schema classroom50/result/v1, whose points are whole."""
    said = os.environ.get
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return json.dumps({
        "schema": "classroom50/result/v1",
        **{name: said(variable) for name, variable in CLASSROOM.items()},
        "assignment_type": said("ASSIGNMENT_TYPE") or "individual",
        "owner": said("OWNER") or said("USERNAME") or student.name,
        "review": said("REVIEW_URL") or said("COMMIT_URL"),
        "datetime": now, "graded_at": now,
        "score": sum(int(g.points) for g in grades),
        "max-score": sum(g.of for g in grades), "tests": [{
            "test-name": g.ident, "passed": g.verdict == "passed",
            "score": int(g.points), "max-score": g.of,
            "output": ascii_of(g)} for g in grades]}, indent=1)


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
            xml.SubElement(case, "failure", type=g.verdict).text = ascii_of(g)
    return xml.tostring(top, encoding="unicode", xml_declaration=True)


FORMATS = {"csv": (None, "grades.csv"), "gradescope": (gradescope, "results.json"),
           "classroom50": (classroom50, "result.json"), "junit": (junit, "junit.xml")}


def table(*rows):
    """csv, in which no cell is a formula to a program that opens it."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        ["'" + cell if str(cell)[:1] in tuple("=+-@\t") else cell for cell in row]
        for row in rows)
    return out.getvalue()


def write(path, text):
    with open(path + ".part", "w") as file:
        file.write(text.rstrip("\n") + "\n")
    os.rename(path + ".part", path)


# --- A class ----------------------------------------------------------------------

def chosen(made, where, out):
    """What is to be graded: students, exercises, where to, and in what format."""
    form = os.environ.get("FORMAT") or "csv"
    chapter = os.environ.get("CHAPTER") or ""
    if form not in FORMATS:
        sys.exit(f"FORMAT={grade.plain(form)}: {', '.join(FORMATS)}")
    for variable in CLASSROOM.values() if form == "classroom50" else ():
        if not os.environ.get(variable):
            sys.exit(f"FORMAT=classroom50: the environment has no {variable}")
    if not where:
        sys.exit("make grade: which class? DIR=submissions (one file: make"
                 " grade-NN FILE=my.c)")
    if not os.path.isdir(where):
        sys.exit(f"DIR={grade.plain(where)}: no such folder")
    if form == "csv":
        students = [Student(at.name, at.path, False) for at in
                    sorted(os.scandir(where), key=lambda at: at.name)
                    if at.is_dir() and at.name[0] != "."]
    else:
        name = os.path.basename(os.path.abspath(where))
        students = [Student(name, where, True)]
    if not students:
        sys.exit(f"DIR={grade.plain(where)}: has no student's folder")
    exercises = [grade.Exercise(made, ident) for ident in sorted(os.listdir(made))
                 if re.match(rf"{re.escape(chapter)}[0-9_]*[a-z]", ident) and
                 os.path.exists(f"{made}/{ident}/made")]
    if not exercises:
        sys.exit(f"CHAPTER={grade.plain(chapter)}: has no exercise")
    return students, exercises, out or FORMATS[form][1], FORMATS[form][0]


def all_graded(students, exercises, told, asked):
    """The grades of each student, by several at a time."""
    left = [student.nobodys(asked) for student in students]
    with concurrent.futures.ThreadPoolExecutor(
            int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        grades = [[pool.submit(student.graded, it, told, files)
                   for it in exercises] for student, files in zip(students, left)]
        try:
            for n, its in enumerate(grades, 1):
                yield [one.result() for one in its]
                if sys.stderr.isatty():
                    print(f"\r  [{'#' * (40 * n // len(grades)):40}] {n} of"
                          f" {len(grades)} ", end="", file=sys.stderr)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    for student, files in zip(students, left):
        for path in files:
            print(f"{student.name}: {path}: not graded, since no exercise has that"
                  " name", file=sys.stderr)


def main(made, where, out=""):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.umask(0o077)
    students, exercises, out, form = chosen(made, where, out)
    print(grade.guarded(), flush=True)
    told = os.path.splitext(out)[0] + ".d"
    os.makedirs(told, exist_ok=True)
    os.chmod(told, 0o700)
    with open("tools/exercises.txt") as file:
        asked = re.findall("[a-z_0-9]+", re.sub("(?m)^#.*|^..", "", file.read()))
    total = sum(it.of for it in exercises)
    rows = [("student", "points", "of", "passed", "handed in", "exercises")]
    details = [("student", "chapter", "exercise", "points", "of", "verdict")]
    for grades, student in zip(all_graded(students, exercises, told, asked),
                               students):
        details += [(student.name, g.ident[:2], g.ident[3:], f"{g.points:.1f}", g.of,
                     g.verdict) for g in grades]
        rows.append((student.name, f"{sum(g.points for g in grades):.1f}", total,
                     sum(g.verdict == "passed" for g in grades),
                     sum(g.verdict != "not handed in" for g in grades),
                     len(grades)))
    write(f"{told}/exercises.csv", table(*details))
    write(out, form(student, grades) if form else table(*rows))
    print(f"next: open {grade.plain(out)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except grade.Broken as why:
        print(why, file=sys.stderr)
        sys.exit(2)
