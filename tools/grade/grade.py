"""Grades files that are hostile until proven otherwise (docs/instructor.md).

    grade.py MADE ID FILE    grades a file: POINTS OF VERDICT, and why

MADE is what kit.sh made. A file is compiled in a sandbox, and for each claim what
comes out is run in another; between them, and from one file to the next, nothing
is kept but what this process holds in memory.
"""
import contextlib
import functools
import hashlib
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import time
import unicodedata

from cage import (COMPILING, FOLDERS, ROOT, RUNNING, Sandbox, everything, in_memory,
                  scope, watch)

MOST_BYTES = 200_000
MOST_SAID = 20_000  # characters of a stream of a worker
GONE = 3  # what a judge exits with if its worker is no more (remote.h)
LATE = "no answer came in time: does a loop not end, or wait?"
TOO_MUCH = "more memory, or more processes, than an exercise needs"
ENDED = {124: LATE, 125: TOO_MUCH, 128 + signal.SIGKILL: TOO_MUCH}
CAME_TO_ITS_END = "the function did not return: the program ended in it"


class Broken(Exception):
    """The grader's own fault, or this machine's: never a grade."""


def guarded():
    """One line: what guards. Broken where nothing does."""
    if ROOT.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
        raise Broken(f"{ROOT}: a sandbox would see it; move the project out of /usr")
    try:
        status, _, said = Sandbox(["true"], {}, **RUNNING).ended(99)
    except OSError as missing:
        status, said = 1, str(missing)
    if status:
        raise Broken("no sandbox can be made here, so no submission is run:"
                     f" {plain(said.strip())[:90]} (sh setup.sh --grade;"
                     " docs/instructor.md; TRUST=1 tests your own)")
    return "guarded by bwrap and seccomp; memory and tasks: " + (
        "a scope of systemd" if scope(600) else
        "looked at 50 times a second, for want of systemd")


# --- A file -----------------------------------------------------------------------

def contents(path, at=None):
    """Of a regular file, opened once, that is no link and not too long; or, as
    text, why there are none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError:
        return "This is a link, or cannot be read: hand in the file itself."
    with os.fdopen(file, "rb") as once:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return "This is no regular file: hand in the file itself."
        data = once.read(MOST_BYTES + 1)
    if b"\0" in data:
        return "This is no text in UTF-8: hand in the source file."
    return data if len(data) <= MOST_BYTES else "It is over 200 kB."


def plain(text):
    """The text in one line: without control characters, those that change the
    direction of writing, and those that end a line or a paragraph."""
    return "".join(c if unicodedata.category(c) not in
                   ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else "?" for c in text)


def quoted(said, mark="|"):
    """What a submission, or the compiler, printed. Each line is marked, so that none
    looks like the judge's; of many, the first and the last are shown."""
    lines = dict.fromkeys(plain(line[:160].expandtabs())[:160]
                          for line in said.split("\n"))
    shown = [f"  {mark} {line}\n" for line in lines if line.strip()]
    if len(shown) > 50:
        shown[30:-20] = f"  ({len(shown) - 50} lines are left out)\n",
    return "".join(shown)


def crash(status, said):
    """What ended a worker, in one line: a signal, a sanitizer or an exception."""
    try:
        name = signal.Signals(status - 128).name
    except ValueError:
        name = f"status {status}"
    report = re.search("AddressSanitizer: (?:stack-overflow|(SEGV|BUS|FPE|ILL|ABRT)?)"
                       "|runtime error: ", said)
    if status == 134 and report:  # tools/environment.sh: exitcode=134
        name = f"SIG{report[1]}" if report[1] else "stopped by a sanitizer"
    thrown = re.search(r"after throwing an instance of '([\w:<>, ]{1,80})'", said)
    if thrown:
        name += f", uncaught exception {thrown[1]}"
    return f"the function did not return: it crashed ({name})"


def explained(said, file, data):
    """What a submission printed, with each sanitizer's report in two lines."""
    with in_memory(data) as text, contextlib.suppress(subprocess.TimeoutExpired):
        return subprocess.run(
            ["awk", "-v", f"file={file}", "-v", f"text=/dev/fd/{text.fileno()}",
             "-f", f"{ROOT}/tools/mistakes.awk"], input=said, timeout=5,
            stdout=subprocess.PIPE, text=True, errors="replace",
            pass_fds=[text.fileno()]).stdout
    return said


# --- Judge and worker -------------------------------------------------------------

class Exercise:
    proved = False
    seconds = 5  # that a call has
    variant = os.environ.get("VARIANT", "")

    def __init__(self, made, ident):
        chapter, self.name = ident.split("_", 1)
        self.made, self.ident = pathlib.Path(made, ident), ident
        self.folder, = pathlib.Path(ROOT).glob(f"{chapter}_*/exercise/{self.name}")
        self.kind = "cu" if (self.folder / "launch.cu").exists() else "c"
        self.claims, self.environment = (
            (self.made / name).read_text().split()
            for name in ("claims", "environment"))
        settings = (self.made / "settings").read_text()
        self.of = int((re.findall("^points: (.*)", settings, re.M) or [10])[0])
        self.counted, self.free = (re.findall(f"^{what}: (.*)$", settings, re.M)
                                   for what in ("counted", "no points"))
        self.worth = self.shares()

    def shares(self):
        """What each claim is worth. Claims about counts have 60% of the points, or
        all if no other claim gives any. A claim without points costs a share."""
        others = [claim for claim in self.claims
                  if claim not in self.counted + self.free]
        of_counted = self.of * (others and 0.6 or 1) * bool(self.counted)
        return {**{claim: -self.of / len(self.claims) for claim in self.free},
                **{claim: of_counted / len(self.counted) for claim in self.counted},
                **{claim: (self.of - of_counted) / len(others) for claim in others}}

    @functools.cached_property
    def digest(self):
        """Of all that decides a grade except the submission. Read once."""
        of = hashlib.sha256(self.variant.encode())
        for path in (*(self.made / name for name in (
                    "judge", "kit.tar", "claims", "settings")), pathlib.Path(__file__),
                     pathlib.Path(ROOT, "tools/grade/cage.py"),
                     pathlib.Path(ROOT, "tools/mistakes.awk")):
            of.update(hashlib.sha256(path.read_bytes()).digest())
        return of.digest()

    def asked(self, claim, worker, seconds):
        """Of a judge, which asks the worker for this claim alone: its exit code, and
        what it says."""
        with in_memory() as out:
            judge = subprocess.Popen(
                [f"{self.made}/judge"], stdin=worker.line, stdout=out, stderr=out,
                env={"VARIANT": self.variant, "TEST_ONLY": claim, "GRADE_SECONDS":
                     str(seconds), "GRADE_BEGINS": str(8 * self.seconds)})
            worker.watched(judge)
            why = everything(out).decode(errors="replace")
        code = judge.returncode
        return 1 if not code and f"[       OK ] {claim}\n" not in why else code, why

    def tried(self, data):
        """POINTS, VERDICT, what a student reads, and whether this machine may be
        to blame."""
        box = Sandbox(["sh", "-c", "tar -xf /kit.tar && exec sh build.sh"], {
            "/kit.tar": (self.made / "kit.tar").read_bytes(),
            f"/tmp/work/{self.ident[:2]}/{self.name}.{self.kind}": data}, **COMPILING)
        box.watched(box.run)
        status, program, said = box.ended()
        if status:
            return 0, "does not compile", quoted(said[:2000] or
                                                 ENDED.get(status, "")), True
        ends = time.monotonic() + 24 * self.seconds
        codes, told, said, worker = {}, "", "", None
        for claim in self.claims:
            code = -signal.SIGALRM
            if time.monotonic() < ends:  # after it no sandbox is started
                worker = worker or Sandbox(["env", *self.environment, "/worker"],
                                           {"/worker": program}, **RUNNING)
                worker.ends = min(worker.ends, ends)
                late = list(codes.values()).count(-signal.SIGALRM) > 3
                code, why = self.asked(claim, worker, 1 if late else self.seconds)
            if worker and (code or claim == self.claims[-1]):  # it may be in a call
                status, out, err = worker.ended(code == GONE)
                for part in out.decode(errors="replace"), err:
                    said += part if len(part) < MOST_SAID else (
                        f"{part[:MOST_SAID // 2]}\n{part[-MOST_SAID // 2:]}")
                worker = None
            codes[claim] = code
            if code == -signal.SIGALRM:
                why = LATE
            elif code not in (0, 1):
                why = ENDED.get(status) or (
                    crash(status, err) if status > 128 else CAME_TO_ITS_END)
            if code:
                why = why.replace("-nan", "nan")  # whose sign means nothing
                told += quoted(re.sub(r"(?m)^(\[|.*FAILED TEST).*", "", why), ">")
            told += f"  ok      {claim}\n" if not code else (
                f"  FAILED  {claim}: costs {abs(self.worth[claim]):.1f} points\n")
        said = explained(said, f"{self.name}.{self.kind}", data)
        return (self.points(codes), "failed" if any(codes.values()) else "passed",
                told + quoted(said), {*codes.values()} - {0, 1})

    def points(self, codes):
        return round(max(0, sum(worth for claim, worth in self.worth.items()
                                if bool(codes[claim]) == (worth < 0))), 6)

    def prove(self):
        """Our own solution earns all points; if not, nothing is graded."""
        solution = contents(f"{self.folder}/solution/{self.name}.{self.kind}")
        _, verdict, text, _ = self.tried(solution)
        if verdict != "passed":
            raise Broken(f"{self.ident}: our own solution: {verdict}; so nothing"
                         f" is graded\n{text}")
        self.proved = True

    def graded(self, data):
        """POINTS, VERDICT and text of what contents() gave."""
        if isinstance(data, str):
            return 0, "no file", f"  {data}\n"
        if not self.proved:
            self.prove()
        *outcome, to_blame = self.tried(data)
        if to_blame:
            self.prove()
        return outcome


def command(main):
    """What this, or another program, was called to do."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    watch()
    try:
        main(*sys.argv[1:])
    except (Broken, OSError) as why:
        print(why, file=sys.stderr)
        sys.exit(2)


def main(made, ident, file):
    print(guarded(), flush=True)
    it = Exercise(made, ident)
    points, verdict, text = it.graded(contents(file))
    print(f"{points:.1f} {it.of} {verdict}\n{text}", end="")


if __name__ == "__main__":
    command(main)
