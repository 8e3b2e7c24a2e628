"""Grades files that are hostile until proven otherwise (docs/instructor.md).

    grade.py rules TO            writes what a sandbox may ask the kernel for
    grade.py guarded             says what guards this machine; exit 2: nothing
    grade.py one MADE ID FILE    grades a file: POINTS OF VERDICT, and why
    grade.py worker              what judge.c starts

MADE is what kit.sh made. A file is compiled in a sandbox, and what comes out is
run in others; between them, and from one file to the next, nothing is kept but
what this process holds in memory.
"""
import contextlib
import errno
import fcntl
import functools
import glob
import hashlib
import os
import re
import select
import signal
import stat
import subprocess
import sys
import threading
import time
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# All that a sandbox sees of this machine, and never the project.
FOLDERS = [f"/usr/{name}" for name in
           ("bin", "include", "lib", "lib32", "lib64", "libexec")]
MOST_BYTES = 200_000
MOST_SAID = 100_000
ROOM = 128 << 20  # bytes of a sandbox's own tmpfs
NOBODY = 65534
WORKER = "/worker"
COMPILING = dict(seconds=20, megabytes=1500)
RUNNING = dict(seconds=30, megabytes=600)
ENDED = {124: "It takes longer than it may.", 125: "It takes more memory than it may."}

# What a program may ask the kernel for: no socket, no queue, no memory that
# belongs to no process, nothing of another process, no namespace.
BOTH = """access arch_prctl brk capget clock_getres clock_gettime
    clock_nanosleep close dup execve exit exit_group faccessat faccessat2 fstat
    fstatfs futex getcwd getdents64 getegid geteuid getgid getpgrp getpid getppid
    getrandom getrlimit getrusage gettid gettimeofday getuid ioctl lseek lstat
    madvise membarrier mmap mprotect mremap munmap nanosleep newfstatat open
    openat personality poll ppoll pread64 prlimit64 read readlink readlinkat
    readv restart_syscall rseq rt_sigaction rt_sigprocmask rt_sigreturn
    sched_getaffinity sched_getparam sched_getscheduler sched_yield
    set_robust_list set_tid_address sigaltstack stat statfs statx sysinfo tgkill
    time times uname wait4 waitid write writev"""
FILES_AND_PROCESSES = """chdir chmod copy_file_range creat dup2 dup3 fadvise64
    fallocate fchdir fchmod fchmodat fchown fchownat fcntl fork ftruncate getpgid
    kill link linkat mkdir mkdirat pipe pipe2 pselect6 pwrite64 rename renameat
    renameat2 rmdir select sendfile setpgid symlink symlinkat umask unlink
    unlinkat utimensat vfork"""
NAMESPACES = 0x7E020080  # CLONE_NEW*
THREAD = 0x10000
PRCTLS = 3, 4, 15, 16, 22, 23, 38, 47, 0x53564D41  # names, and asking
FCNTLS = fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL


def write_rules(to):
    """What bwrap hands to the kernel. Who runs may start threads, and nothing
    else; all the rest is answered as by a kernel that does not have it."""
    import seccomp as s
    for name, thread in ("compiling", 0), ("running", THREAD):
        rules = s.SyscallFilter(s.ERRNO(errno.ENOSYS))
        for call in f"{BOTH} {'' if thread else FILES_AND_PROCESSES}".split():
            rules.add_rule(s.ALLOW, call)
        rules.add_rule(s.ALLOW, "clone", s.Arg(
            0, s.MASKED_EQ, NAMESPACES | thread, thread))
        for option in PRCTLS:
            rules.add_rule(s.ALLOW, "prctl", s.Arg(0, s.EQ, option))
        for command in FCNTLS if thread else ():
            rules.add_rule(s.ALLOW, "fcntl", s.Arg(1, s.EQ, command))
        with open(f"{to}/{name}.bpf", "wb") as file:
            rules.export_bpf(file)


class Broken(Exception):
    """The grader's own fault, or this machine's: never a grade."""


# --- What holds memory and tasks --------------------------------------------------

def scope(megabytes):
    return ["systemd-run", *([] if os.getuid() == 0 else ["--user"]), "--scope",
            "--quiet", "--collect", "-p", f"MemoryMax={megabytes}M", "-p",
            "MemorySwapMax=0", "-p", "TasksMax=200"]


@functools.lru_cache(None)
def holder():
    """systemd; or where control groups that limit memory can be made, and by
    which file, in version 2 or 1; or nothing."""
    if os.path.exists("/run/systemd/system") and subprocess.run(
            [*scope(99), "true"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0:
        return "systemd"
    with open("/proc/self/cgroup") as file:
        mine = re.search("^0::(.*)", file.read(), re.M)
    for top, most in (("/sys/fs/cgroup" + (mine[1] if mine else ""), "memory.max"),
                      ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")):
        tried = f"{top}/tried.{os.getpid()}"
        with contextlib.suppress(OSError):
            os.mkdir(tried)
            works = os.path.exists(f"{tried}/{most}")
            os.rmdir(tried)
            if works:
                return top, most
    return None


@contextlib.contextmanager
def held(words, megabytes):
    """The command, with what limits its memory before it."""
    if not isinstance(holder(), tuple):
        yield scope(megabytes) + words if holder() else words
        return
    top, most = holder()
    group = f"{top}/grade.{os.getpid()}.{threading.get_ident()}"
    os.mkdir(group)
    try:
        with open(f"{group}/{most}", "w") as file:
            file.write(f"{megabytes}M")
        yield ["sh", "-c", 'echo 0 >"$0/cgroup.procs" && exec "$@"', group, *words]
    finally:
        for _ in range(500):  # until all in it are gone
            try:
                os.rmdir(group)
                break
            except OSError:
                time.sleep(0.01)


def left_behind():
    """Control groups of graders that were killed."""
    return [group for group in glob.glob(
        f"{holder()[0]}/grade.*" if isinstance(holder(), tuple) else "")
        if not os.path.exists(f"/proc/{group.split('.')[1]}")]


def guarded():
    """One line: what guards. Broken where nothing does."""
    for folder in FOLDERS:
        if os.path.realpath(ROOT).startswith(folder + "/"):
            raise Broken(f"{ROOT}: a sandbox would see it; move the project out"
                         f" of {folder}")
    for group in left_behind():
        with contextlib.suppress(OSError):
            os.rmdir(group)
    try:
        status, _, said = caged(["true"], [], **RUNNING)
    except FileNotFoundError as missing:
        status, said = 1, f"{missing.filename} is not there"
    if status:
        raise Broken("no sandbox can be made here, so no file of somebody else's"
                     f" is run: {plain(said).strip()[:90]} (sh setup.sh --grade;"
                     " docs/instructor.md; TRUST=1 tests your own)")
    return "guarded by bwrap and seccomp; memory: " + (
        "a scope of systemd" if holder() == "systemd" else
        "a control group" if holder() else
        "looked at 50 times a second, for want of a control group")


# --- A sandbox -------------------------------------------------------------------

def held_by(pid):
    """kB that a process and all below it hold, page tables too. A thread may
    have ended and hide them, so all are asked."""
    most, children = 0, []
    for task in glob.glob(f"/proc/{pid}/task/*"):
        try:
            with open(f"{task}/status") as file:
                most = max(most, sum(map(int, re.findall(
                    r"^Vm(?:RSS|PTE|Swap):\s*(\d+)", file.read(), re.M))))
            with open(f"{task}/children") as file:
                children += file.read().split()
        except OSError:
            pass
    return most + sum(map(held_by, children))


def watched(words, given, seconds, megabytes):
    """Runs a command until it ends, the time is up, or it holds too much. Gives
    its status, 124 or 125, and what it printed, of which much is dropped."""
    run = subprocess.Popen(words, stdin=subprocess.DEVNULL, cwd="/",
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           pass_fds=given)
    ends = time.monotonic() + seconds
    room = {run.stdout: ROOM, run.stderr: MOST_SAID}
    printed = {pipe: bytearray() for pipe in room}
    stopped = looked = 0
    try:
        while room or run.poll() is None:
            for pipe in select.select(list(room), [], [], 0.02)[0]:
                part = os.read(pipe.fileno(), 1 << 16)
                printed[pipe] += part[:room[pipe] - len(printed[pipe])]
                if not part:
                    del room[pipe]
            now = time.monotonic()
            if stopped or now < looked + 0.02:
                continue
            looked = now
            stopped = (124 if now > ends else
                       125 if held_by(run.pid) > megabytes << 10 else 0)
            if stopped:
                run.kill()
    finally:
        run.kill()
        run.wait()
    run.stdout.close()
    run.stderr.close()
    return (stopped or run.returncode, bytes(printed[run.stdout]),
            printed[run.stderr].decode(errors="replace"))


def caged(command, data, seconds, megabytes, keep=(), settings=(), rules=None):
    """The same in a sandbox of its own. It has the files of data (path,
    descriptor, mode), and asks the kernel for no more than the rules allow."""
    words = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent",
             "--new-session", "--cap-drop", "ALL", "--clearenv", "--setenv",
             "PATH", "/usr/bin", "--setenv", "LC_ALL", "C"]
    for folder in [*FOLDERS, "/etc/alternatives"]:
        words += ["--ro-bind-try", folder, folder]
    for name in "bin", "lib", "lib32", "lib64":
        words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--symlink", "tmp/common", "/common", "--proc", "/proc",
              "--dev", "/dev", "--remount-ro", "/dev", "--size", str(ROOM),
              "--tmpfs", "/tmp", "--chdir", "/tmp"]
    if command[0] == WORKER:  # it has nowhere to write
        words += ["--remount-ro", "/tmp"]
    for path, descriptor, mode in data:
        words += ["--perms", mode, "--ro-bind-data", str(descriptor), path]
    for name, value in settings:
        words += ["--setenv", name, value]
    given = [descriptor for _, descriptor, _ in data] + list(keep)
    if rules is not None:
        words += ["--seccomp", str(rules)]
        given.append(rules)
    words += ["--remount-ro", "/", "prlimit", "--core=0", f"--cpu={seconds}",
              "--fsize=67108864", "--nofile=64", "--memlock=0", "--msgqueue=0",
              "--sigpending=64", f"--nproc={64 + (os.cpu_count() or 1)}",
              *command]
    if os.getuid() == 0:
        words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                 "--clear-groups", *words]
    with held(words, megabytes) as words:
        return watched(words, given, seconds * 2, megabytes)


# --- A file -----------------------------------------------------------------------

class Refused(Exception):
    """Why a file is not even compiled."""


def contents(path, at=None):
    """Of a regular file, opened once, that is no link and not too long."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK,
                     dir_fd=at)
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise Refused("This is no regular file: hand in the file itself.")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Refused("It is over 200 kB.")
    return data


def plain(text):
    """Without what a terminal would obey, or show elsewhere: control characters
    of any kind, and those that turn the direction of writing."""
    return "".join(c if c in "\n\t" or unicodedata.category(c)[0] != "C"
                   else "?" for c in text)


@contextlib.contextmanager
def in_memory(data=b""):
    """A descriptor of a file that lies nowhere."""
    file = os.memfd_create("grade")
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    try:
        yield file
    finally:
        os.close(file)


@contextlib.contextmanager
def opened(*paths):
    files = [os.open(path, os.O_RDONLY) for path in paths]
    try:
        yield files
    finally:
        for file in files:
            os.close(file)


class Exercise:
    worker = f"{ROOT}/tools/grade/grade.py"
    proved = False
    variant = os.environ.get("VARIANT", "")

    def __init__(self, made, ident):
        chapter, name = ident.split("_", 1)
        self.made, self.ident, self.name = made, ident, name
        self.folder, = glob.glob(f"{ROOT}/{chapter}_*/exercise/{name}")
        self.kind = "cu" if os.path.exists(f"{self.folder}/launch.cu") else "c"
        with open(f"{made}/{ident}/claims") as file:
            self.claims = file.read().split()
        with open(f"{self.folder}/remote.txt") as file:
            text = file.read()
        self.held, self.counted, self.varied = (
            set(re.findall(f"^{what}: (.*)$", text, re.M)) for what in (
                "the skeleton holds", "counted inside the worker",
                "the variant decides"))
        points = re.search("^points: (.*)", text, re.M)
        self.of = int(points[1]) if points else 10
        self.judge = f"{made}/{ident}/judge"
        with open(self.judge, "rb") as file:
            self.key = hashlib.sha256(file.read()).hexdigest()

    def compiled(self, data):
        with opened(f"{self.made}/kit.tar", f"{self.made}/{self.ident}/kit.tar",
                    f"{self.made}/compiling.bpf") as (kit, own, rules), \
                in_memory(data) as text:
            return caged(["sh", "-c", "tar -xf /kit.tar && tar -xf /own.tar &&"
                          " exec sh build.sh"],
                         [("/kit.tar", kit, "0444"), ("/own.tar", own, "0444"),
                          ("/submission", text, "0444")],
                         rules=rules, **COMPILING)

    def asked(self, binary, said):
        """What the judge prints, where no worker can, and what it says."""
        mine = f"/proc/{os.getpid()}/fd"
        judge = subprocess.Popen(
            [self.judge], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={
                "PATH": "/usr/bin:/bin", "VARIANT": self.variant,
                "GRADE_WORKER": self.worker, "GRADE_MADE": self.made,
                "GRADE_BINARY": f"{mine}/{binary}", "GRADE_SAID": f"{mine}/{said}",
                "GRADE_SECONDS": os.environ.get("GRADE_SECONDS", "5")})
        late = threading.Timer(120, judge.kill)
        late.start()
        printed, why = judge.communicate()
        late.cancel()
        return printed.decode(errors="replace"), why.decode(errors="replace")

    def tried(self, data):
        """POINTS, VERDICT, what a student reads, and whether this machine may be
        to blame."""
        status, binary, said = self.compiled(data)
        if status:
            return 0, "does not compile", quoted(said[:2000] or ENDED.get(status, "")), True
        with in_memory(binary) as program, in_memory(data) as text, \
                in_memory() as worker:
            printed, why = self.asked(program, worker)
            said = subprocess.run(
                ["awk", "-v", f"file={self.name}.{self.kind}", "-v",
                 f"text=/proc/{os.getpid()}/fd/{text}", "-f",
                 f"{ROOT}/tools/mistakes.awk", f"/proc/{os.getpid()}/fd/{worker}"],
                stdout=subprocess.PIPE).stdout.decode(errors="replace")
        ok = set(re.findall(r"^\[ *OK \] (\S*)$", printed, re.M))
        bad = [claim for claim in self.claims if claim not in ok]
        earning = set(self.claims) - self.counted
        points = self.of and (max(0, len(earning & ok) - len(self.held)) *
                              self.of / (len(earning) - len(self.held)))
        if not ok & self.varied:  # constants, or a table, hold the others
            points = min(points, 1)
        told = [f"  {'FAILED ' if claim in bad else 'ok     '} {claim}"
                for claim in self.claims]
        told += [f"  {line}" for line in dict.fromkeys(why.split("\n"))
                 if not re.match(r"\[|[= ]*$|.*FAILED TEST", line)][:40]
        return (points, "failed" if bad else "passed",
                "\n".join(told) + "\n" + quoted(said), "# cut" in printed)

    def prove(self):
        """Our own solution earns all, here and now; else nobody is graded."""
        solution = contents(f"{self.folder}/solution/{self.name}.{self.kind}")
        _, verdict, text, _ = self.tried(solution)
        if verdict != "passed":
            raise Broken(f"{self.ident}: our own solution: {verdict}; so nothing"
                         f" is graded\n{text}")
        self.proved = True

    def graded(self, data):
        """POINTS, VERDICT and text of what contents() gave, or why it did not."""
        if isinstance(data, Exception):
            return 0, "no file", str(data) if isinstance(data, Refused) else \
                "This is a link, or cannot be read: hand in the file itself."
        if not self.proved:
            self.prove()
        *outcome, ended = self.tried(data)
        if ended:  # by its own fault?
            self.prove()
        return outcome


def quoted(said):
    """What a submission, or the compiler, printed: marked, so that it looks like
    nothing that the judge says."""
    lines = list(dict.fromkeys(plain(said).split("\n")))
    return "".join(f"  | {line[:160]}\n" for line in lines if line.strip())[:8000]


# --- The command ------------------------------------------------------------------

def careful():
    """How a student's program runs, as in make exercise (tools/environment.sh)."""
    said = subprocess.run(["sh", "-c", '. "$0" && echo $careful',
                           f"{ROOT}/tools/environment.sh"],
                          stdout=subprocess.PIPE, text=True).stdout
    return [word.split("=", 1) for word in said.split()]


def work():
    """What judge.c starts: a worker in a sandbox, its socket descriptor 3."""
    made, binary, said = (os.environ[f"GRADE_{name}"]
                          for name in ("MADE", "BINARY", "SAID"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # judge.c has enough
    with opened(binary, f"{made}/running.bpf") as (program, rules):
        status, out, err = caged([WORKER], [(WORKER, program, "0555")], keep=[3],
                                 settings=careful(), rules=rules, **RUNNING)
    with open(said, "ab") as file:
        file.write((out[:MOST_SAID].decode(errors="replace") + err).encode())
    return status


def main(command, *words):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        if command == "rules":
            write_rules(*words)
        elif command == "guarded":
            print(guarded())
        elif command == "worker":
            return work()
        elif command == "one":
            made, ident, file = words
            print(guarded(), flush=True)
            it = Exercise(made, ident)
            try:
                data = contents(file)
            except (Refused, OSError) as why:
                data = why
            points, verdict, text = it.graded(data)
            print(f"{points:.1f} {it.of} {verdict}\n{text}", end="")
    except Broken as why:
        print(why, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
