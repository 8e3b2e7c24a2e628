"""A sandbox for what somebody else wrote, by bubblewrap and libseccomp
(docs/instructor.md).

    cage.py TO    writes into TO what a sandbox may ask the kernel for
"""
import contextlib
import errno
import fcntl
import functools
import glob
import os
import re
import select
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# All that a sandbox sees of this machine, and never the project.
FOLDERS = [f"/usr/{name}" for name in
           ("bin", "include", "lib", "lib32", "lib64", "libexec")]
MOST_SAID = 100_000
ROOM = 128 << 20  # bytes of a sandbox's own tmpfs, and of what it prints
NOBODY = 65534
COMPILING = dict(seconds=20, megabytes=1500)
RUNNING = dict(seconds=30, megabytes=600)

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


def scope(megabytes):
    return ["systemd-run", *([] if os.getuid() == 0 else ["--user"]), "--scope",
            "--quiet", "--collect", "-p", f"MemoryMax={megabytes}M", "-p",
            "MemorySwapMax=0", "-p", "TasksMax=200"]


@functools.lru_cache(None)
def systemd():
    """Whether it makes control groups for us."""
    try:
        return subprocess.run([*scope(99), "true"], stdin=subprocess.DEVNULL,
                              capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def held_by(pid):
    """kB that a process and all below it hold, page tables too. A thread may
    have ended and hide them, so all are asked."""
    most, children = 0, []
    for task in glob.glob(f"/proc/{pid}/task/*"):
        with contextlib.suppress(OSError):
            with open(f"{task}/status") as file:
                most = max(most, sum(map(int, re.findall(
                    r"^Vm(?:RSS|PTE|Swap):\s*(\d+)", file.read(), re.M))))
            with open(f"{task}/children") as file:
                children += file.read().split()
    return most + sum(map(held_by, children))


class Sandbox:
    """A command in a sandbox of its own. It has the files of data (path, open
    file, mode) and settings (NAME=VALUE), and may do what the file of rules
    allows."""

    def __init__(self, command, data, rules, settings, more, *, seconds, megabytes,
                 stdin=subprocess.DEVNULL, keep=()):
        words = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent",
                 "--new-session", "--cap-drop", "ALL", "--clearenv"]
        for setting in "PATH=/usr/bin", "LC_ALL=C", *settings:
            words += ["--setenv", *setting.split("=", 1)]
        for folder in [*FOLDERS, "/etc/alternatives"]:
            words += ["--ro-bind-try", folder, folder]
        for name in "bin", "lib", "lib32", "lib64":
            words += ["--symlink", f"usr/{name}", f"/{name}"]
        words += ["--dev", "/dev", "--remount-ro", "/dev", "--size", str(ROOM),
                  "--tmpfs", "/tmp", "--chdir", "/tmp", *more]
        for path, file, mode in data:
            words += ["--perms", mode, "--ro-bind-data", str(file.fileno()), path]
        limits = ["prlimit", "--core=0", f"--cpu={seconds}", "--fsize=67108864",
                  "--nofile=64", "--memlock=0", "--msgqueue=0", "--sigpending=64",
                  f"--nproc={64 + (os.cpu_count() or 1)}"]
        if os.getuid() == 0:
            words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                     "--clear-groups", *words]
        if systemd():
            words = scope(megabytes) + words
        with open(rules) as allowed:
            words += ["--seccomp", str(allowed.fileno()), "--remount-ro", "/"]
            given = [allowed, *keep, *(file for _, file, _ in data)]
            self.run = subprocess.Popen(
                [*words, *limits, *command], stdin=stdin, cwd="/",
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=[file.fileno() for file in given])
        self.stopped = 0
        self.watch = threading.Thread(target=self.watched, args=(
            time.monotonic() + 2 * seconds, megabytes << 10))
        self.watch.start()

    def watched(self, ends, most):
        """Until it has ended, by itself, or since the time is up (124), or since
        it holds too much (125). Of what it prints, much is dropped."""
        run = self.run
        room = {run.stdout: ROOM, run.stderr: MOST_SAID}
        self.printed = printed = {pipe: bytearray() for pipe in room}
        looked = 0
        while room or run.poll() is None:
            for pipe in select.select(list(room), [], [], 0.02)[0]:
                part = os.read(pipe.fileno(), 1 << 16)
                printed[pipe] += part[:room[pipe] - len(printed[pipe])]
                if not part:
                    del room[pipe]
            now = time.monotonic()
            if self.stopped or now < looked + 0.02:
                continue
            looked = now
            self.stopped = 124 if now > ends else 125 * (held_by(run.pid) > most)
            if self.stopped:
                run.kill()

    def ended(self, soon=None):
        """Its status, and what it printed. soon: it ends in so many seconds, or
        it is ended."""
        self.watch.join(soon)
        self.run.kill()
        self.watch.join()
        out, err = (bytes(self.printed[pipe]) for pipe in
                    (self.run.stdout, self.run.stderr))
        self.run.stdout.close()
        self.run.stderr.close()
        return self.stopped or self.run.returncode, out, err.decode(errors="replace")


if __name__ == "__main__":
    write_rules(sys.argv[1])
