"""Grades a class: `make grade` (docs/instructor.md).

    class.py MADE DIR [OUT]

MADE is the folder of the judges. Writes a row for each student of DIR to OUT. If OUT is
a.csv, the folder a.d has the texts for students, exercises.csv, tests.csv, class.html,
similar/, and the grades in kept, so that class.py need not grade an unchanged file
again. The environment may set FORMAT, E, CHAPTER, JOBS and VARIANT. Without FORMAT the
format is csv; with another format DIR is one student's folder. E lists exercises or
chapters; without E and CHAPTER all exercises are graded. ROSTER and HAND are tables
(report.py); LATE, BEST and METADATA are for gradescope().
"""
import collections
import concurrent.futures
import csv
import datetime
import hashlib
import io
import json
import math
import os
import pathlib
import re
import sys
import time
import xml.etree.ElementTree as xml

import grade
import report
from grade import plain

Grade = collections.namedtuple("Grade", "ident of points verdict output seconds text")
ENVIRONMENT = {name: value for name, value in os.environ.items() if value}
IDENTS = {name: f"{line[:2]}_{name}" for line in pathlib.Path(
    grade.ROOT, "tools/exercises.txt").read_text().splitlines() if line[0] != "#"
    for name in line[3:].split()}
NONE, MISSING = "no file", "not handed in"
MOST_FILES = 10_000  # files and folders of a student
MOST_SECONDS = 600   # to grade all files of a student
TOO_LONG = "  Not graded: the files before it took {} s, the limit for all together.\n"
MOST_NAMED = 5       # files that are listed in a message

# Before the name of an exercise a text with a number is allowed, and after it a number,
# such as doe_123_merge_parts-1.c (Canvas).
NAMES = {name.replace("_", ""): name for name in IDENTS}
MEANS = re.compile(r"(?:.*\d[^a-z0-9]*)?(%s)[^a-z.~]*((?:\.[a-z0-9+]+|~)*)" % "|".join(
    name.replace("_", "[^a-z0-9]?") for name in sorted(IDENTS, key=len, reverse=True)))
SOURCE = re.compile(r"(\.(c|cu|cc|cpp|cxx|c\+\+))?(\.txt)?")
ARCHIVE = re.compile(r".*\.(zip|tar|t?gz|bz2|xz|7z|rar)")
OURS = re.compile(r".*(\.hints|\.cu?\.\d+)")  # make hint-NN and reset-NN write them


def write(path, text):
    """Writes the text to a temporary file, and renames that to path."""
    pathlib.Path(f"{path}.part").write_text(text, "utf-8")
    os.rename(f"{path}.part", path)


def exercise_of(name):
    """Returns the exercise, or "", and the reason why the file cannot be graded, or "".
    Returns None if the file is to be ignored."""
    name = name.lower()
    means = MEANS.fullmatch(name)
    ident = IDENTS[NAMES[re.sub("[^a-z0-9]", "", means[1])]] if means else ""
    if ARCHIVE.fullmatch(name):
        return ident, "it is an archive; hand in the file inside"
    if not ident and name.endswith((".c", ".cu", ".cc", ".cpp", ".c.txt", ".cu.txt")):
        return ident, "no exercise has this name"
    if not ident or OURS.fullmatch(name):
        return None
    if re.search(r"(~|\.(bak|orig|old|swp))$", name):
        return ident, "it is a backup copy of an editor"
    return ident, ("" if SOURCE.fullmatch(means[2]) else
                   "its name does not end like a source file's; use .c or .cu")


def handed_in(path, exercises):
    """Reads a student's folder without following links. Returns {ident: (name,
    contents)}, and a list of (ident or "", name, reason) for the files that are not
    graded."""
    best, ungraded, duplicates, seen = {}, [], [], 0
    for here, folders, names, at in os.fwalk(path):
        below = os.path.relpath(here, path)
        course = "tools" in folders and os.path.exists(f"{here}/tools/exercise.sh")
        folders[:] = sorted(
            name for name in folders if name[0] != "." and name != "__MACOSX" and
            below.count("/") < 8 and (not course or re.fullmatch(r"work|0\d", name)))
        seen += 1 + len(names)
        if seen > MOST_FILES:
            ungraded.insert(0, ("", plain(below), f"more than {MOST_FILES} files"))
            break
        for name in sorted(names):
            ident, why = name[0] != "." and exercise_of(name) or ("", "")
            shown = plain(os.path.normpath(f"{below}/{name}"))
            if why:
                ungraded.append((ident, shown, why))
            elif ident in exercises:
                it, data = exercises[ident], grade.contents(name, at)
                file = (isinstance(data, str), name != f"{it.name}.{it.kind}",
                        not name.endswith((".c", ".cu")), below != ".",
                        below.count("/"), shown, data)
                was = best.setdefault(ident, file)
                if was is not file:
                    best[ident] = min(file, was)
                    duplicates.append((ident, max(file, was)[-2]))
    return ({ident: file[-2:] for ident, file in best.items()},
            [(ident, name, f"{best[ident][-2]} is graded") for ident, name in duplicates] +
            ungraded)


def not_graded(ungraded, mark):
    """Returns lines that list the first files that are not graded."""
    lines = [f"{mark}{name}: not graded: {why}\n"
             for _, name, why in ungraded[:MOST_NAMED]]
    if ungraded[MOST_NAMED:]:
        lines.append(f"{mark}{len(ungraded) - MOST_NAMED} more files: not graded\n")
    return "".join(lines)


def graded(it, data, path):
    """Returns POINTS, VERDICT, SECONDS and the text of a file, from `path` if these
    bytes were graded before."""
    key = hashlib.sha256(it.digest + data).hexdigest()
    kept = os.path.exists(path) and pathlib.Path(path).read_text("utf-8")
    if not kept or kept.split("\n")[0] != key:
        begun = time.monotonic()
        points, verdict, text = it.graded(data)
        kept = f"{key}\n{points:.1f}\n{verdict}\n{time.monotonic() - begun:.2f}\n{text}"
        write(path, kept)
    _, points, verdict, seconds, text = kept.split("\n", 4)
    return float(points), verdict, float(seconds), text


def all_of(student, path, exercises, folder, kept):
    """Returns the grades of a student's exercises. Writes the texts for the student, and
    adds the files to the list kept."""
    files, ungraded = handed_in(path, exercises)
    print(not_graded(ungraded, f"{plain(student)}: "), end="", file=sys.stderr)
    # `name` begins the files' names. If it differs from the student's, adds a digest.
    name = re.sub(r"[^\w-]", "_", student)[:40]
    if name != student:
        name += f"~{hashlib.sha256(os.fsencode(student)).hexdigest()[:12]}"
    grades, spent = [], 0.0
    for ident, it in exercises.items():
        file, data = files.get(ident, ("", ""))
        points, verdict, seconds, text = 0.0, MISSING, 0.0, ""
        if isinstance(data, bytes) and spent >= MOST_SECONDS:
            verdict, text = NONE, TOO_LONG.format(MOST_SECONDS)
        elif isinstance(data, bytes):
            points, verdict, seconds, text = graded(
                it, data, f"{folder}/kept/{name}.{ident}")
            kept.append((name, ident, data))
            spent += seconds
        elif ident in files:
            verdict, text = NONE, f"  {data}\n"
        about = [what for what in ungraded if what[0] == ident]
        usual = text  # with the exercise's usual name, for class.html
        if ident in files:
            text = (f"  file: {file}\n{not_graded(about, '  file: ')}"
                    f"{grade.named(text, it, file)}")
        else:
            text = not_graded(about + [what for what in ungraded if not what[0]], "  file: ")
        write(f"{folder}/{name}.{ident}.txt", f"{it.name}: {points:.1f} of {it.of}\n"
              f"{plain(student)}: {verdict}\n{text}")
        grades.append(Grade(ident, it.of, points, verdict, held_back(
            it, verdict, f"{verdict}\n{text}"), seconds, usual))
    return grades


def held_back(it, verdict, output):
    """Returns the text for a server. With VARIANT leaves out what would reveal the
    tests' inputs."""
    if not it.variant or verdict not in ("passed", "failed"):
        return output.rstrip()
    return "".join(line for line in output.splitlines(True) if line[:4] not in (
        "  > ", "  | ")) + (
            "The inputs are secret. To test your file with other inputs: make exercise-"
            f"{it.ident[:2]} E={it.name}")


def late_or_best(score):
    """Returns the score and the reasons why it differs from the points: each day late
    costs LATE percent; with BEST an earlier submission may count. METADATA is a file."""
    late, best = ENVIRONMENT.get("LATE", "0"), ENVIRONMENT.get("BEST")
    if not re.fullmatch(r"\d{1,2}(\.\d+)?|100", late):
        sys.exit(f"LATE={plain(late)}: no percentage of the points per day; allowed: 0 to"
                 " 100")
    if not float(late) and not best:
        return score, []
    about, why = json.loads(pathlib.Path(ENVIRONMENT["METADATA"]).read_text()), []
    own = about["users"][0].get("assignment") or {}  # has a student's extension
    handed_in, due = (datetime.datetime.fromisoformat(date) for date in (
        about["created_at"], own.get("due_date") or about["assignment"]["due_date"]))
    days = math.ceil((handed_in - due).total_seconds() / 86400)
    if float(late) and days > 0:
        score *= max(0, 1 - float(late) / 100 * days)
        why.append(f"late, day {days}: each day costs {late}% of the points")
    earlier = max((float(was["score"] or 0) for was in about["previous_submissions"]),
                  default=0)
    if best and earlier > score:
        score = earlier
        why.append(f"an earlier submission counts, with {earlier:.1f} points")
    return score, why


def gradescope(student, grades):
    score, why = late_or_best(sum(g.points for g in grades))
    return json.dumps(dict(
        score=round(score, 1), visibility="visible", output="\n".join(why), tests=[
            dict(name=g.ident, score=g.points, max_score=g.of, output=g.output,
                 status="passed" if g.verdict == "passed" else "failed",
                 output_format="text", visibility="visible") for g in grades]))


def classroom50(student, grades):
    """Returns JSON by the schema classroom50/result/v1. It needs whole numbers, so
    points are rounded down."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        return json.dumps({
            "schema": "classroom50/result/v1", "classroom": ENVIRONMENT["CLASSROOM"],
            "assignment": ENVIRONMENT["ASSIGNMENT"], "submission": ENVIRONMENT["SUBMISSION_TAG"],
            "commit": ENVIRONMENT["COMMIT_URL"], "release": ENVIRONMENT["RELEASE_URL"],
            "assignment_type": ENVIRONMENT.get("ASSIGNMENT_TYPE", "individual"),
            "owner": ENVIRONMENT.get("OWNER", ENVIRONMENT.get("USERNAME", student)),
            "review": ENVIRONMENT.get("REVIEW_URL", ENVIRONMENT["COMMIT_URL"]),
            "datetime": now, "graded_at": now,
            "score": sum(int(g.points) for g in grades),
            "max-score": sum(g.of for g in grades), "tests": [{
                "test-name": g.ident, "passed": g.verdict == "passed",
                "score": int(g.points), "max-score": g.of,
                "output": g.output} for g in grades]})
    except KeyError as name:
        sys.exit(f"FORMAT=classroom50: the environment must set {name}")


def junit(student, grades):
    skipped = [g for g in grades if g.verdict == MISSING]
    bad = [g for g in grades if g.verdict not in ("passed", MISSING)]
    top = xml.Element("testsuites")
    suite = xml.SubElement(
        top, "testsuite", name="flashattention", tests=str(len(grades)), errors="0",
        failures=str(len(bad)), skipped=str(len(skipped)),
        time=f"{sum(g.seconds for g in grades):.2f}")
    for g in grades:
        case = xml.SubElement(suite, "testcase", classname=g.ident[:2],
                              name=g.ident[3:], time=f"{g.seconds:.2f}")
        if g in bad:
            xml.SubElement(case, "failure", type=g.verdict).text = g.output
        if g in skipped:
            xml.SubElement(case, "skipped", message=MISSING).text = g.output
    return xml.tostring(top, encoding="us-ascii", xml_declaration=True).decode()


FORMATS = {"csv": (None, "grades.csv"), "gradescope": (gradescope, "results.json"),
           "classroom50": (classroom50, "result.json"), "junit": (junit, "junit.xml")}


def class_files(folder, exercises, graded_all, kept):
    """Writes tests.csv, class.html and similar/."""
    statistics = {ident: report.Statistics(it) for ident, it in exercises.items()}
    for _, grades in graded_all:
        for g in grades:
            if g.verdict not in (NONE, MISSING):
                statistics[g.ident].add(g.verdict, g.text)
    write(f"{folder}/tests.csv", csv_of(("exercise", "test", "passed", "handed in"), (
        (ident, name, passed, one.files) for ident, one in statistics.items()
        for name, passed in one.passed.items())))
    write(f"{folder}/class.html", report.page(statistics.values()))
    report.similar(folder, exercises, kept)


def csv_of(head, rows):
    """A cell that a spreadsheet would treat as a formula gets an apostrophe."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        ["'" + cell if str(cell)[:1] in tuple("=+-@\t") else cell for cell in row]
        for row in (head, *rows))
    return text.getvalue()


def chosen_exercises(made):
    """Returns {ident: Exercise} of E and CHAPTER."""
    idents = [ident for ident in sorted(IDENTS.values())
              if os.path.exists(f"{made}/{ident}/made")]
    for name in "E", "CHAPTER":
        wanted = ENVIRONMENT.get(name, "").replace(",", " ").split()
        for one in wanted:
            if not any(one in (ident[:2], ident[3:]) for ident in idents):
                sys.exit(f"{name}={plain(one)}: no such exercises; allowed: names or"
                         " chapters, as in E=merge_parts,04")
        idents = [ident for ident in idents
                  if not wanted or ident[:2] in wanted or ident[3:] in wanted]
    return {ident: grade.Exercise(made, ident) for ident in idents}


def main(made, where, out=""):
    os.umask(0o077)
    chosen = ENVIRONMENT.get("FORMAT", "csv")
    if chosen not in FORMATS:
        sys.exit(f"FORMAT={plain(chosen)}: unknown; allowed: {', '.join(FORMATS)}")
    if not os.path.isdir(where):
        sys.exit(f"DIR={plain(where)}: no such folder" if where else
                 "make grade: DIR is missing; use for example DIR=submissions, or for one"
                 " file make grade-NN FILE=my.c")
    form, usual = FORMATS[chosen]
    out = out or os.path.join(os.path.dirname(made), usual)
    where = os.path.realpath(where)
    students, others = {os.path.basename(where): where}, []
    if not form:
        inside = sorted((at for at in os.scandir(where) if at.name[0] != "."),
                        key=lambda at: at.name)
        students = {at.name: at.path for at in inside if at.is_dir()}
        others = [("", plain(at.name), "it is in no student's folder") for at in inside
                  if not at.is_dir()]
    exercises, kept = chosen_exercises(made), []
    print(not_graded(others, f"{plain(where)}/"), end="", file=sys.stderr)
    if not students:
        sys.exit(f"DIR={plain(where)}: has no student's folder")
    by_hand, hand = report.points_by_hand(ENVIRONMENT.get("HAND"), students)
    columns, rows = report.roster(ENVIRONMENT["ROSTER"]) if "ROSTER" in ENVIRONMENT else (
        [], None)
    print(grade.guarded(), flush=True)
    folder = os.path.splitext(out)[0] + ".d"
    os.makedirs(f"{folder}/kept", exist_ok=True)
    os.chmod(folder, 0o700)

    with concurrent.futures.ThreadPoolExecutor(
            int(ENVIRONMENT.get("JOBS", os.cpu_count()))) as pool:
        graded_all = list(zip(students, pool.map(
            lambda at: all_of(*at, exercises, folder, kept), students.items())))
    of = sum(it.of for it in exercises.values())
    points = {student: sum(g.points for g in grades) + sum(hand[student])
              for student, grades in graded_all}
    if not form:
        class_files(folder, exercises, graded_all, kept)
    if rows is not None:
        write(f"{folder}/canvas.csv", csv_of(
            (*columns, "FlashAttention"), report.canvas(columns, rows, of, points)))
    write(f"{folder}/exercises.csv", csv_of(
        ("student", "chapter", "exercise", "points", "of", "verdict"), (
            (plain(student), g.ident[:2], g.ident[3:], g.points, g.of, g.verdict)
            for student, grades in graded_all for g in grades)))
    write(out, form(*graded_all[0]) + "\n" if form else csv_of(
        ("student", "points", "of", "passed", "handed in", "exercises", *exercises,
         *by_hand, *["total"] * bool(by_hand)), (
            (plain(student), round(sum(g.points for g in grades), 1), of,
             sum(g.verdict == "passed" for g in grades),
             sum(g.verdict not in (NONE, MISSING) for g in grades), len(grades),
             *(g.points for g in grades), *hand[student],
             *[round(points[student], 1)] * bool(by_hand))
            for student, grades in graded_all)))
    print(f"next: open {plain(out)}")


if __name__ == "__main__":
    grade.command(main)
