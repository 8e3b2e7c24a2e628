"""Files about a whole class for `make grade` (docs/instructor.md)."""
import collections
import csv
import html
import pathlib
import re
import shutil
import sys

from grade import plain

MESSAGES = 3  # messages that are listed for an exercise
CANVAS = "Student", "ID", "SIS User ID", "SIS Login ID", "Section"


def table(name, path, needed):
    """Returns the rows of a CSV file as dictionaries. Exits if a column is missing."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            missing = [column for column in needed if column not in (rows.fieldnames or ())]
            if missing:
                sys.exit(f"{name}={plain(path)}: no column '{missing[0]}'")
            return list(rows)
    except (OSError, UnicodeDecodeError, csv.Error) as why:
        sys.exit(f"{name}={plain(path)}: cannot be read: {plain(str(why))}")


def points_by_hand(path, students):
    """Returns the columns of a CSV file, and {student: [points in each column]}."""
    rows = table("HAND", path, ["student"]) if path else []
    columns = [column for column in (rows[0] if rows else ()) if column != "student"]
    points = {student: [0.0] * len(columns) for student in students}
    for row in rows:
        student = row["student"]
        if student not in points:
            sys.exit(f"HAND={plain(path)}: {plain(student)}: no such student in DIR")
        try:
            points[student] = [float(row[column] or 0) for column in columns]
        except (TypeError, ValueError):
            sys.exit(f"HAND={plain(path)}: {plain(student)}: a cell is not a number")
    return columns, points


def roster(path):
    """Returns the columns for Canvas, and {name of a folder: row} of Canvas's export.
    The folder's name may be the student's login, ID, SIS ID or name."""
    rows = table("ROSTER", path, ["Student", "ID", "SIS Login ID", "Section"])
    columns = [column for column in CANVAS if column in rows[0]] if rows else CANVAS
    return columns, {row[key]: row for key in CANVAS[:4] if key in columns
                     for row in rows if row[key] and row["ID"]}


def canvas(columns, rows, of, points):
    """Returns the rows of the table for Canvas; points is {student: points}."""
    for student in points:
        if student not in rows:
            print(f"{plain(student)}: not in ROSTER, so not in canvas.csv", file=sys.stderr)
    found = [([rows[student][column] for column in columns], got)
             for student, got in points.items() if student in rows]
    return [["    Points Possible", *[""] * (len(columns) - 1), of],
            *([*cells, round(got, 1)] for cells, got in found)]


def similar(folder, exercises, files):
    """Writes the students' files and the skeletons for programs that find copies.
    files has (student's folder, ident, contents)."""
    shutil.rmtree(f"{folder}/similar", ignore_errors=True)
    for who, ident, data in [*files, *(("", ident, (
            it.folder / f"{it.name}.{it.kind}").read_bytes())
            for ident, it in exercises.items())]:
        it = exercises[ident]
        here = pathlib.Path(folder, "similar", ident, f"students/{who}" if who else "skeleton")
        here.mkdir(parents=True, exist_ok=True)
        (here / f"{it.name}.{it.kind}").write_bytes(data)


class Statistics:
    """How many students passed each test of an exercise, and their messages."""

    def __init__(self, it):
        self.it, self.files, self.solved = it, 0, 0
        self.passed = dict.fromkeys(it.tests, 0)
        self.messages, self.example = collections.Counter(), {}

    def add(self, verdict, text):
        """Adds a student's file. Counts equal messages with other numbers once."""
        self.files += 1
        self.solved += verdict == "passed"
        why, reasons = "", {verdict} if verdict not in ("passed", "failed") else set()
        for line in text.splitlines():
            test = re.fullmatch(r"  (ok     |FAILED ) (\w+).*", line)
            if line[:4] == "  > ":
                why = why or line[4:].strip()
            elif test and test[1] == "FAILED ":
                reasons |= {why} if why else set()
                why = ""
            elif test and test[2] in self.passed:
                self.passed[test[2]] += 1
        for one in {re.sub(r"-?\d[\d.e+-]*", "#", why): why for why in reasons}.items():
            self.messages[one[0]] += 1
            self.example.setdefault(*one)

    def html(self):
        """Returns the part of the page about this exercise."""
        bars = "".join(
            f'<text x="0" y="{20 * k + 14}">{name}</text>'
            f'<rect x="400" y="{20 * k + 3}" width="300" height="14" fill="#ddd"/>'
            f'<rect x="400" y="{20 * k + 3}" width="{300 * n / max(1, self.files):.0f}"'
            f' height="14" fill="#4477aa"/><text x="708" y="{20 * k + 14}">{n}</text>'
            for k, (name, n) in enumerate(self.passed.items()))
        rows = "".join(f"<tr><td>{n}<td>{html.escape(self.example[key])}\n"
                       for key, n in self.messages.most_common(MESSAGES))
        return (f"<h2>{self.it.ident[:2]} {self.it.name}</h2>\n<p>{self.files} handed in,"
                f" {self.solved} passed\n<p><svg viewBox='0 0 750 {20 * len(self.passed)}'"
                f" width='750'>{bars}</svg>\n<table>{rows}</table>\n")


def page(statistics):
    """Returns an HTML page with a bar per test and the most frequent messages."""
    return ("<!doctype html><meta charset='utf-8'><title>The class</title><style>body"
            "{font: 15px sans-serif; margin: 2em} svg {max-width: 100%} text {font: 13px "
            "sans-serif} td {padding: 2px 12px 2px 0}</style>\n<h1>The class</h1>\n"
            "<p>For each test, how many students passed it. Below, how many read each of "
            "the most frequent messages, with one student's numbers.\n" +
            "".join(one.html() for one in statistics if one.files))
