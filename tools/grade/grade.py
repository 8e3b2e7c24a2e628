"""Grades a file that may be hostile (docs/grading.md).

    grade.py MADE ID FILE    describes the sandbox, prints POINTS MAXIMUM VERDICT
                             and the reasons

kit.sh wrote the folder MADE/ID. A file is compiled in one sandbox, and the program
runs in others. No data passes from one sandbox to another except through this
process, which keeps it in memory.
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
MOST_OUTPUT = 20_000  # characters of a worker's stdout or stderr
GONE = 3  # exit code of a judge whose worker has ended (remote.h)
RACED = 4  # stands for exit code 0 of a test with a race (remote_cuda.h)
LATE = "the function did not return within {} s: there may be an endless loop"
TOO_MUCH = "stopped: uses more memory or processes than an exercise needs"
ENDED = {124: "no result in time: there may be an endless loop",
         125: TOO_MUCH, 128 + signal.SIGKILL: TOO_MUCH}
ENDED_IN_IT = "the function did not return: it ended the program"


class Broken(Exception):
    """An error of the grader or of this machine, after which no grade is given."""


def guarded():
    """Returns a line that describes the sandbox. Raises Broken if no sandbox works."""
    if ROOT.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
        raise Broken(f"{ROOT}: a sandbox could read it; move the project out of /usr")
    try:
        status, _, output = Sandbox(["true"], {}, **RUNNING).ended(99)
    except OSError as missing:
        status, output = 1, str(missing)
    if status:
        raise Broken("no sandbox works on this machine, so no submission is run:"
                     f" {plain(output.strip())[:90]} (sh setup.sh --grade"
                     " installs it, see docs/grading.md; TRUST=1 tests your own"
                     " file without a sandbox)")
    return "guarded by bwrap and seccomp; memory and tasks: " + (
        "limited by a systemd scope" if scope(600) else
        "checked 50 times a second (no systemd)")


def contents(path, at=None):
    """Returns a file's bytes, or the reason why it cannot be graded."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError:
        return "The file is a link or cannot be read; hand in the file itself."
    with os.fdopen(file, "rb") as once:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return "The file is not a regular file; hand in the file itself."
        data = once.read(MOST_BYTES + 1)
    if b"\0" in data:
        return "The file contains a zero byte; hand in the source file, as UTF-8 text."
    return data if len(data) <= MOST_BYTES else "The file is larger than 200 kB."


def plain(text):
    """Replaces control characters, line ends and changes of the writing direction."""
    return "".join(c if unicodedata.category(c) not in
                   ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else "?" for c in text)


def quoted(output, mark="|"):
    """Returns the different non-empty lines of output, cut to 160 characters, after a
    mark, so that none looks like the grader's. Of over 50 lines leaves out the middle."""
    lines = dict.fromkeys(plain(line[:160].expandtabs())[:160]
                          for line in output.split("\n"))
    shown = [f"  {mark} {line}\n" for line in lines if line.strip()]
    if len(shown) > 50:
        shown[30:-20] = f"  ({len(shown) - 50} lines are left out)\n",
    return "".join(shown)


def crash(status, output):
    try:
        name = signal.Signals(status - 128).name
    except ValueError:
        name = f"status {status}"
    report = re.search("AddressSanitizer: (?:stack-overflow|(SEGV|BUS|FPE|ILL|ABRT)?)"
                       "|runtime error: ", output)
    if status == 134 and report:  # tools/environment.sh: exitcode=134
        name = f"SIG{report[1]}" if report[1] else "stopped by a sanitizer"
    thrown = re.search(r"after throwing an instance of '([\w:<>, ]{1,80})'", output)
    if thrown:
        name += f", uncaught exception {thrown[1]}"
    return f"the function did not return: it crashed ({name})"


def explained(output, file, data):
    """Returns output with each sanitizer report shortened to two lines, or unchanged if
    this takes more than 5 seconds."""
    with in_memory(data) as text, contextlib.suppress(subprocess.TimeoutExpired):
        return subprocess.run(
            ["awk", "-v", f"file={file}", "-v", f"text=/dev/fd/{text.fileno()}",
             "-f", f"{ROOT}/tools/mistakes.awk"], input=output, timeout=5,
            stdout=subprocess.PIPE, text=True, errors="replace",
            pass_fds=[text.fileno()]).stdout
    return output


def with_lines(text, program, file):
    """Replaces addresses in a program, such as 0x40126f:0, by lines of a file."""
    at = [*dict.fromkeys(re.findall(r"\b0x[0-9a-f]{1,16}(?=:0\b)", text))][:9]
    if not at:
        return text
    box = Sandbox(["addr2line", "-aie", "/worker", *at], {"/worker": program},
                  **{**COMPILING, "seconds": 2})
    box.watched(box.run)
    frames = re.split(r"(?m)^(?=0x0*)", box.ended()[1].decode(errors="replace"))
    lines = [re.search(rf"\b{re.escape(file)}:(\d+)", frame) for frame in frames[1:]]
    for address, line in zip(at, lines):
        text = re.sub(rf"\b{address}:0\b", f"{file}:{line[1]}" if line else file, text)
    return text


def named(text, it, file):
    """Replaces the usual name of an exercise's file by the name of the student's."""
    return re.sub(rf"(?<![\w/]){it.name}\.{it.kind}(?=:)", lambda _: file, text)


class Exercise:
    proved = False
    seconds = 5  # the time limit for a call
    variant = os.environ.get("VARIANT", "")

    def __init__(self, made, ident):
        chapter, self.name = ident.split("_", 1)
        self.made, self.ident = pathlib.Path(made, ident), ident
        self.folder, = pathlib.Path(ROOT).glob(f"{chapter}_*/exercise/{self.name}")
        self.kind = "cu" if (self.folder / "launch.cu").exists() else "c"
        self.tests, self.environment = (
            (self.made / name).read_text().split()
            for name in ("tests", "environment"))
        settings = (self.made / "settings").read_text()
        self.of = int((re.findall("^points: (.*)", settings, re.M) or [10])[0])
        self.counted, self.free = (re.findall(f"^{what}: (.*)$", settings, re.M)
                                   for what in ("counted", "no points"))
        self.race = float((re.findall("^race: (.*)", settings, re.M) or [0])[0])
        self.fixed = {name: float(points) for points, name in re.findall(
            r"^worth ([\d.]+): (.*)$", settings, re.M)}
        self.worth = self.shares()

    def shares(self):
        """Returns the points of each test. A test under `worth N` has N points. Of
        the rest the tests under `counted` share 60%, or all if no other test gives
        any. Tests under `no points` cost points if they fail: their number is
        negative."""
        rest = self.of - sum(self.fixed.values())
        others = [name for name in self.tests
                  if name not in [*self.counted, *self.free, *self.fixed]]
        of_counted = rest * (others and 0.6 or 1) * bool(self.counted)
        return {**{name: -self.of / len(self.tests) for name in self.free},
                **{name: of_counted / len(self.counted) for name in self.counted},
                **{name: (rest - of_counted) / len(others) for name in others},
                **self.fixed}

    @functools.cached_property
    def digest(self):
        """The digest of all data that affects a grade, except the submission."""
        of = hashlib.sha256(" ".join([self.variant, *self.environment]).encode())
        for path in (*(self.made / name for name in (
                    "judge", "kit.tar", "tests", "settings")), pathlib.Path(__file__),
                     pathlib.Path(ROOT, "tools/grade/cage.py"),
                     pathlib.Path(ROOT, "tools/mistakes.awk")):
            of.update(hashlib.sha256(path.read_bytes()).digest())
        return of.digest()

    def judge(self, name, worker, seconds):
        """Returns the judge's exit code and output. Exit code 0 becomes 1 if the output
        has no OK line for the test, or RACED."""
        with in_memory() as out:
            judge = subprocess.Popen(
                [f"{self.made}/judge"], stdin=worker.line, stdout=out, stderr=out,
                env={"VARIANT": self.variant, "TEST_ONLY": name, "GRADE_SECONDS":
                     str(seconds), "GRADE_BEGINS": str(8 * self.seconds)})
            worker.watched(judge)
            why = everything(out).decode(errors="replace")
        code = judge.returncode
        if not code and f"[       OK ] {name}\n" not in why:
            code = 1
        return RACED if not code and "threads in lockstep" in why else code, why

    def test(self, data):
        """Returns POINTS, VERDICT, the text for the student, and true if this machine
        may be the cause of a failure."""
        for _ in range(2):  # again if a busy machine may be the cause
            box = Sandbox(["sh", "-c", "tar -xf /kit.tar && exec sh build.sh"], {
                "/kit.tar": (self.made / "kit.tar").read_bytes(),
                f"/tmp/work/{self.ident[:2]}/{self.name}.{self.kind}": data}, **COMPILING)
            box.watched(box.run)
            status, program, output = box.ended()
            if status != 124:
                break
        if status:
            return 0, "does not compile", quoted(output[:2000] or
                                                 ENDED.get(status, "")), True
        ends = time.monotonic() + 24 * self.seconds
        codes, results, output, worker = {}, "", "", None
        for name in self.tests:
            code, seconds = -signal.SIGALRM, self.seconds
            if time.monotonic() < ends:  # after `ends` no sandbox is started
                worker = worker or Sandbox(["env", *self.environment, "/worker"],
                                           {"/worker": program}, **RUNNING)
                worker.ends = min(worker.ends, ends)
                late = list(codes.values()).count(-signal.SIGALRM) > 3
                seconds = 1 if late else seconds
                code, why = self.judge(name, worker, seconds)
            if worker and (code or name == self.tests[-1]):  # a worker may be stuck
                status, out, err = worker.ended(code == GONE)
                for part in out.decode(errors="replace"), err:
                    output += part if len(part) < MOST_OUTPUT else (
                        f"{part[:MOST_OUTPUT // 2]}\n{part[-MOST_OUTPUT // 2:]}")
                worker = None
            codes[name] = code
            if code == -signal.SIGALRM:
                why = LATE.format(seconds)
            elif code not in (0, 1, RACED):
                why = ENDED.get(status) or (
                    crash(status, err) if status > 128 else ENDED_IN_IT)
            if code:
                why = why.replace("-nan", "nan")  # the sign of a NaN has no meaning
                why = re.sub(r"(?m)^ERROR: |^(\[|.*FAILED TEST).*", "", why)
                results += quoted(why, ">")
            cost = abs(self.worth[name])
            if code == RACED and self.race:  # costs points once
                cost = self.race * (list(codes.values()).count(RACED) == 1)
            results += f"  ok      {name}\n" if not code else (
                f"  FAILED  {name}: costs {cost:.1f} points\n")
        results = with_lines(results, program, f"{self.name}.{self.kind}")
        output = explained(output, f"{self.name}.{self.kind}", data)
        return (self.points(codes), "failed" if any(codes.values()) else "passed",
                results + quoted(output), {*codes.values()} - {0, 1, RACED})

    def points(self, codes):
        right = {0, RACED} if self.race else {0}
        points = sum(worth for name, worth in self.worth.items()
                     if (codes[name] in right) == (worth >= 0))
        return round(max(0, points - self.race * (RACED in codes.values())), 6)

    def prove(self):
        solution = contents(f"{self.folder}/solution/{self.name}.{self.kind}")
        _, verdict, text, _ = self.test(solution)
        if verdict != "passed":
            raise Broken(f"{self.ident}: the reference solution does not pass"
                         f" ({verdict}); no file is graded\n{text}")
        self.proved = True

    def graded(self, data):
        """Returns POINTS, VERDICT and text for data, the result of contents()."""
        if isinstance(data, str):
            return 0, "no file", f"  {data}\n"
        if not self.proved:
            self.prove()
        points, verdict, text, machine = self.test(data)
        if machine:
            self.prove()
        return points, verdict, text.replace(f"work/{self.ident[:2]}/", "")


def command(main):
    """Calls main with the program's arguments. Exits with 2 after an error."""
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
    text = named(text, it, plain(file))
    print(f"{points:.1f} {it.of} {verdict}\n{text}", end="")


if __name__ == "__main__":
    command(main)
