"""Grades files that are hostile until proven otherwise (docs/instructor.md).

    grade.py one MADE ID FILE    grades a file: POINTS OF VERDICT, and why
    grade.py table               all exercises and their points, for the page

MADE is what kit.sh made. A file is compiled in a sandbox, and what comes out is
run in others; between them, and from one file to the next, nothing is kept but
what this process holds in memory.
"""
import contextlib
import fcntl
import glob
import hashlib
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import unicodedata

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from cage import (COMPILING, FOLDERS, MOST_SAID, ROOT, RUNNING,  # noqa: E402
                  Sandbox, systemd)

MOST_BYTES = 200_000
MOST_IN_A_MESSAGE = 1 << 26
SECONDS = 5
TOO_MUCH = "more memory, or more processes, than an exercise needs"
ENDED = {124: "no answer came in time: does a loop not end, or wait?",
         125: TOO_MUCH, 128 + signal.SIGKILL: TOO_MUCH}
CRASHED = "the function did not come back: it crashed"
CAME_TO_ITS_END = "the function did not come back: the program ended in it"


class Broken(Exception):
    """The grader's own fault, or this machine's: never a grade."""


class Refused(Exception):
    """Why a file is not even compiled."""


def guarded(made):
    """One line: what guards. Broken where nothing does."""
    for folder in FOLDERS:
        if os.path.realpath(ROOT).startswith(folder + "/"):
            raise Broken(f"{ROOT}: a sandbox would see it; move the project out"
                         f" of {folder}")
    try:
        status, _, said = Sandbox(["true"], [], f"{made}/running.bpf", (), (),
                                  **RUNNING).ended()
    except FileNotFoundError as missing:
        status, said = 1, f"{missing.filename} is not there"
    if status:
        raise Broken("no sandbox can be made here, so no file of somebody else's"
                     f" is run: {plain(said).strip()[:90]} (sh setup.sh --grade;"
                     " docs/instructor.md; TRUST=1 tests your own)")
    return "guarded by bwrap and seccomp; memory and tasks: " + (
        "a scope of systemd" if systemd() else
        "looked at 50 times a second, for want of systemd")


# --- A file -----------------------------------------------------------------------

def contents(path, at=None):
    """Of a regular file, opened once, that is no link and not too long; or why
    there are none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError:
        return Refused("This is a link, or cannot be read: hand in the file itself.")
    with os.fdopen(file, "rb") as once:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return Refused("This is no regular file: hand in the file itself.")
        data = once.read(MOST_BYTES + 1)
    return data if len(data) <= MOST_BYTES else Refused("It is over 200 kB.")


def plain(text):
    """Without what a terminal would obey, or show elsewhere: control characters
    of any kind, and those that turn the direction of writing."""
    return "".join(c if c in "\n\t" or unicodedata.category(c)[0] != "C"
                   else "?" for c in text)


def quoted(said):
    """What a submission, or the compiler, printed: marked, so that it looks like
    nothing that the judge says."""
    lines = list(dict.fromkeys(plain(said).split("\n")))
    return "".join(f"  | {line[:160]}\n" for line in lines if line.strip())[:8000]


def in_memory(data=b"", size=0):
    """A file that lies nowhere, and does not become shorter."""
    file = open(os.memfd_create("grade", os.MFD_ALLOW_SEALING), "r+b", buffering=0)
    file.truncate(size)
    os.pwrite(file.fileno(), data, 0)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return file


def text_of(file):
    return os.pread(file.fileno(), 1 << 24, 0).decode(errors="replace")


# --- Judge and worker -------------------------------------------------------------

# As in remote.h.
READY, CALL, ANSWER, QUESTION, STOPPED = b"r", b"c", b"a", b"q", b"s"


def handed_over(line, letter, ends):
    """What comes in return for a letter, by then."""
    line.settimeout(max(0.001, ends - time.monotonic()))
    line.sendall(letter)
    return line.recv(1)


class Worker:
    """A submission that runs, in a sandbox that has nowhere to write. It is
    started when it is asked for something, and anew where it ended, or where a
    test left it in the middle of a call."""

    def __init__(self, made, program, memory):
        self.made, self.program, self.memory = made, program, memory
        self.sandbox, self.said = None, ""
        self.begun = self.late = 0

    def start(self):
        """The time until it is there is the machine's, not the submission's."""
        if self.begun == 30:  # a claim that fails ends one at most
            raise OSError
        self.begun += 1
        self.in_a_call = False
        self.line, theirs = socket.socketpair()
        with open(f"{self.made}/careful") as file:
            settings = [*file.read().split(), f"GRADE_MEMORY={self.memory.fileno()}"]
        self.sandbox = Sandbox(
            ["/worker"], [("/worker", self.program, "0555")],
            f"{self.made}/running.bpf", settings, ["--proc", "/proc",
            "--remount-ro", "/tmp"], stdin=theirs, keep=[self.memory], **RUNNING)
        theirs.close()
        if handed_over(self.line, b"", time.monotonic() + 8 * SECONDS) != READY:
            raise OSError

    def ask(self, letter):
        """An answer or a question of the worker's; or STOPPED, and why in memory."""
        if letter == CALL and self.sandbox and self.in_a_call:
            self.end()
        try:
            if not self.sandbox:
                self.start()
            if letter == CALL:  # after a question the clock goes on
                self.left = SECONDS if self.late < 4 else 1
            now = time.monotonic()
            came = handed_over(self.line, letter, now + self.left)
            # The way there and back is the machine's time, however busy it is.
            self.left -= max(0, time.monotonic() - now - 0.02)
            self.in_a_call = came != ANSWER
            if came in (ANSWER, QUESTION):
                return came
            status = self.end(1)
        except TimeoutError:
            self.late += 1
            self.end()
            status = 124
        except OSError:
            status = self.end(1)
        why = ENDED.get(status, CRASHED if status > 128 else CAME_TO_ITS_END)
        os.pwrite(self.memory.fileno(), why.encode() + b"\0", 0)
        return STOPPED

    def end(self, soon=0):
        if not self.sandbox:
            return 0
        self.line.close()
        status, out, err = self.sandbox.ended(soon)
        self.said += out[:MOST_SAID].decode(errors="replace") + err
        self.sandbox = None
        return status


class Exercise:
    worker = Worker
    proved = set()  # of judges
    variant = os.environ.get("VARIANT", "")

    def __init__(self, made, ident):
        chapter, name = ident.split("_", 1)
        self.made, self.ident, self.name = made, ident, name
        self.folder, = glob.glob(f"{ROOT}/{chapter}_*/exercise/{name}")
        self.kind = "cu" if os.path.exists(f"{self.folder}/launch.cu") else "c"
        self.claims = subprocess.run(
            ["sh", "-c", '. "$0" && claims_of "$1"', f"{ROOT}/tools/exercise_lib.sh",
             f"{self.folder}/test_{name}.c"], stdout=subprocess.PIPE,
            text=True).stdout.split()
        remote = self.text("remote.txt")
        self.held, self.counted, self.varied = (
            re.findall(f"^{what}: (.*)$", remote, re.M) for what in (
                "the skeleton holds", "counted inside the worker",
                "the variant decides"))
        for claim in {*self.held, *self.counted, *self.varied} - {*self.claims}:
            raise Broken(f"{self.folder}/remote.txt: {claim}: no such claim")
        self.of = int((re.findall("^points: (.*)", remote, re.M) or [10])[0])
        self.judge = f"{made}/{ident}/judge"

    def text(self, name):
        with open(f"{self.folder}/{name}") as file:
            return file.read()

    def key(self):
        with open(self.judge, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def compiled(self, data):
        with open(f"{self.made}/kit.tar") as kit, in_memory(data) as text, \
                open(f"{self.made}/{self.ident}/kit.tar") as own:
            return Sandbox(
                ["sh", "-c", "tar -xf /kit.tar && tar -xf /own.tar &&"
                 " exec sh build.sh"],
                [("/kit.tar", kit, "0444"), ("/own.tar", own, "0444"),
                 ("/submission", text, "0444")],
                f"{self.made}/compiling.bpf", (),
                ["--symlink", "tmp/common", "/common"], **COMPILING).ended()

    def asked(self, worker):
        """What the judge says to its tests' end: it asks, and the worker answers."""
        mine, theirs = socket.socketpair()
        ends = time.monotonic() + 120
        with in_memory() as out, in_memory() as err:
            judge = subprocess.Popen(
                [self.judge], stdin=theirs, stdout=out, stderr=err, env={
                    "PATH": "/usr/bin:/bin", "VARIANT": self.variant,
                    "GRADE_MEMORY": str(worker.memory.fileno())},
                pass_fds=[worker.memory.fileno()])
            theirs.close()
            answer = b""
            with contextlib.suppress(OSError):
                while letter := handed_over(mine, answer, ends):
                    answer = worker.ask(letter)
            judge.kill()
            judge.wait()
            worker.end()
            mine.close()
            return text_of(out), text_of(err)

    def tried(self, data):
        """POINTS, VERDICT, what a student reads, and whether this machine may be
        to blame."""
        status, binary, said = self.compiled(data)
        if status:
            return 0, "does not compile", quoted(said[:2000] or
                                                 ENDED.get(status, "")), True
        with in_memory(binary) as program, in_memory(data) as text, \
                in_memory(size=1 << 26) as memory:
            worker = self.worker(self.made, program, memory)
            printed, why = self.asked(worker)
            said = subprocess.run(
                ["awk", "-v", f"file={self.name}.{self.kind}", "-v",
                 f"text=/dev/fd/{text.fileno()}", "-f", f"{ROOT}/tools/mistakes.awk"],
                input=worker.said, stdout=subprocess.PIPE, text=True,
                errors="replace", pass_fds=[text.fileno()]).stdout
        ok = set(re.findall(r"^\[ *OK \] (\S*)$", printed, re.M))
        bad = set(self.claims) - ok
        earning = set(self.claims) - set(self.counted)
        points = self.of and (max(0, len(earning & ok) - len(self.held)) *
                              self.of / (len(earning) - len(self.held)))
        if not ok & set(self.varied):  # constants, or a table, hold the others
            points = min(points, 1)
        told = [f"  {'FAILED ' if claim in bad else 'ok     '} {claim}"
                for claim in self.claims]
        told += [f"  {line}" for line in dict.fromkeys(plain(why).split("\n"))
                 if not re.match(r"\[|[= ]*$|.*FAILED TEST", line)][:40]
        return (points, "failed" if bad else "passed",
                "\n".join(told) + "\n" + quoted(said), worker.begun > 1)

    def prove(self):
        """Our own solution earns all, here and now; else nobody is graded."""
        solution = contents(f"{self.folder}/solution/{self.name}.{self.kind}")
        _, verdict, text, _ = self.tried(solution)
        if verdict != "passed":
            raise Broken(f"{self.ident}: our own solution: {verdict}; so nothing"
                         f" is graded\n{text}")
        self.proved.add(self.judge)

    def graded(self, data):
        """POINTS, VERDICT and text of what contents() gave."""
        if isinstance(data, Refused):
            return 0, "no file", f"  {data}\n"
        if self.judge not in self.proved:
            self.prove()
        *outcome, ended = self.tried(data)
        if ended:  # by its own fault?
            self.prove()
        return outcome


# --- The command ------------------------------------------------------------------

def table():
    print("| | exercise | points | claims | held already | without points |")
    print("|---|---|---|---|---|---|")
    for path in sorted(glob.glob(f"{ROOT}/0*/exercise/*/remote.txt")):
        chapter, _, name = os.path.relpath(path, ROOT).split("/")[:3]
        it = Exercise("", f"{chapter[:2]}_{name}")
        print(f"| {chapter[:2]} | `{name}` | {it.of} | {len(it.claims)} |",
              len(it.held), "|", *(f"`{claim}`" for claim in it.counted), "|")


def main(command, *words):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        if command == "table":
            table()
        else:
            made, ident, file = words
            print(guarded(made), flush=True)
            it = Exercise(made, ident)
            points, verdict, text = it.graded(contents(file))
            print(f"{points:.1f} {it.of} {verdict}\n{text}", end="")
    except Broken as why:
        print(why, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
