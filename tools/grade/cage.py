"""Runs commands in a sandbox of bubblewrap and libseccomp (docs/grading.md)."""
import contextlib
import errno
import fcntl
import functools
import glob
import mmap
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# The folders of this machine that a sandbox can read. The project must not be in them.
FOLDERS = [f"/usr/{name}" for name in
           ("bin", "include", "lib", "lib32", "lib64", "libexec")]
NAME = f"grade-{os.getpid()}"  # the host name in each sandbox of this process
ROOM = 128 << 20  # size of a sandbox's tmpfs in bytes
NOBODY = 65534

# The system calls that every sandbox allows. No allowed call makes sockets, queues,
# namespaces, or memory that belongs to no process.
BOTH = """access arch_prctl brk capget clock_getres clock_gettime
    clock_nanosleep close dup execve exit exit_group faccessat faccessat2 fstat
    fstatfs futex getcwd getdents64 getegid geteuid getgid getpgrp getpid getppid
    getrandom getrlimit getrusage gettid gettimeofday getuid ioctl lseek lstat
    madvise membarrier mprotect mremap munmap nanosleep newfstatat open
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
PRCTLS = 3, 4, 15, 16, 22, 23, 38, 47, 0x53564D41  # prctl: names, queries, fewer rights
FCNTLS = fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL


def in_memory(data=b""):
    """Returns a file that is only in memory, with this content."""
    file = os.fdopen(os.memfd_create("grade"), "r+b", buffering=0)
    os.pwrite(file.fileno(), data, 0)
    return file


def everything(file):
    return os.pread(file.fileno(), ROOM, 0)


@functools.lru_cache(None)
def rules(thread):
    """Returns the seccomp filter for bwrap. If thread is THREAD, a program may start
    threads but no processes; if it is 0, both."""
    import seccomp as s
    rules = s.SyscallFilter(s.ERRNO(errno.ENOSYS))
    for call in f"{BOTH} {'' if thread else FILES_AND_PROCESSES}".split():
        rules.add_rule(s.ALLOW, call)
    rules.add_rule(s.ALLOW, "clone", s.Arg(
        0, s.MASKED_EQ, NAMESPACES | thread, thread))
    rules.add_rule(s.ALLOW, "mmap", s.Arg(3, s.MASKED_EQ, mmap.MAP_SHARED, 0))
    for option in PRCTLS:
        rules.add_rule(s.ALLOW, "prctl", s.Arg(0, s.EQ, option))
    for command in FCNTLS if thread else ():
        rules.add_rule(s.ALLOW, "fcntl", s.Arg(1, s.EQ, command))
    with in_memory() as file:
        rules.export_bpf(file)
        return everything(file)


@functools.lru_cache(None)
def scope(megabytes):
    """Returns words that run a command with limits, or [] if systemd-run fails."""
    words = ["systemd-run", *([] if os.getuid() == 0 else ["--user"]), "--scope",
             "--quiet", "--collect", "-p", f"MemoryMax={megabytes}M", "-p",
             "MemorySwapMax=0", "-p", "TasksMax=200"]
    with contextlib.suppress(OSError):
        if subprocess.run([*words, "true"], stdin=subprocess.DEVNULL,
                          capture_output=True).returncode == 0:
            return words
    return []


def tasks(pid, file):
    """Yields the text of a /proc file for each thread, since the first may have
    ended."""
    for path in glob.glob(f"/proc/{pid}/task/*/{file}"):
        with contextlib.suppress(OSError):
            yield pathlib.Path(path).read_text()


def descendants(pid):
    """Returns the descendants of a process, its children first."""
    children = [int(child) for of in tasks(pid, "children") for child in of.split()]
    return children + [pid for child in children for pid in descendants(child)]


def memory_of(pid):
    """Returns the memory of a process and its descendants in kB, with page tables."""
    return sum(max((sum(map(int, re.findall(r"Vm(?:RSS|PTE|Swap):\s*(\d+)", status)))
                    for status in tasks(one, "status")), default=0)
               for one in (pid, *descendants(pid)))


def kill(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def watch():
    """Forks a process that waits until the caller ends, even by SIGKILL, and then kills
    the caller's sandboxes, whose command lines contain NAME."""
    end, ours = os.pipe()
    if os.fork():
        return os.close(end)
    os.setsid()
    for file in 0, 1, 2, ours:
        os.close(file)
    os.read(end, 1)
    for _ in range(50):  # a new child gets its name only when it executes bwrap
        kill(named(NAME))
        time.sleep(0.05)
    os._exit(0)


def named(word):
    """Yields the processes that have this word in their command line."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if os.fsencode(word) in pathlib.Path(path).read_bytes().split(b"\0"):
                yield int(path.split("/")[2])


BWRAP = """bwrap --unshare-all --unshare-user --die-with-parent --new-session
    --cap-drop ALL --symlink usr/bin /bin --symlink usr/lib /lib --symlink
    usr/lib32 /lib32 --symlink usr/lib64 /lib64 --dev /dev --remount-ro /dev
    --chdir /tmp"""
COMPILING = dict(thread=0, seconds=20, megabytes=1500, prints=64 << 20, more=())
# A worker cannot write to any file, or to the memory of bwrap.
RUNNING = dict(thread=THREAD, seconds=30, megabytes=600, prints=100_000, more=[
    "--proc", "/proc", "--remount-ro", "/proc", "--remount-ro", "/tmp"])


class Sandbox:
    """Runs a command. data maps the paths of files in the sandbox to their contents."""

    def __init__(self, command, data, *, thread, seconds, megabytes, prints, more):
        self.kilobytes, self.ends = megabytes << 10, time.monotonic() + 2 * seconds
        self.out, self.err, self.stopped = in_memory(), in_memory(), 0
        words = [*BWRAP.split(), "--hostname", NAME, "--size", str(ROOM),
                 "--tmpfs", "/tmp", *more]
        for folder in [*FOLDERS, "/etc/alternatives"]:
            words += ["--ro-bind-try", folder, folder]
        limits = ["prlimit", "--core=0", f"--cpu={seconds}", f"--fsize={prints}",
                  "--nofile=64", f"--nproc={64 + (os.cpu_count() or 1)}"]
        if os.getuid() == 0:
            words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                     "--clear-groups", *words]
        files = [in_memory(contents) for contents in (*data.values(), rules(thread))]
        for path, file in zip(data, files):
            words += ["--perms", "0555", "--ro-bind-data", str(file.fileno()), path]
        words += ["--seccomp", str(files[-1].fileno()), "--remount-ro", "/"]
        # Python ignores SIGXFSZ, and the command inherits that.
        self.line, theirs = socket.socketpair()
        self.run = subprocess.Popen(
            [*scope(megabytes), "env", "-i", "PATH=/usr/bin", "LC_ALL=C", *words,
             *limits, *command], stdin=theirs, stdout=self.out, stderr=self.err,
            restore_signals=False, cwd="/",
            pass_fds=[file.fileno() for file in files])
        for file in *files, theirs:
            file.close()

    def watched(self, run):
        """Waits for run. At the time limit kills the sandbox and sets self.stopped to
        124, at the memory limit to 125."""
        while run.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(0.02)
            if time.monotonic() > self.ends:
                self.stopped = 124
            elif memory_of(self.run.pid) > self.kilobytes:
                self.stopped = 125
            if self.stopped:
                self.kill()

    def kill(self):
        """Kills bwrap and its descendants, and closes the socket. Stops bwrap first: if
        it was killed while it starts, its inner process would continue."""
        if self.run.poll() is None:
            self.run.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self.run.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            kill(descendants(self.run.pid))
            self.run.kill()
            self.run.wait()
        with contextlib.suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)

    def ended(self, soon=0):
        """Waits for at most `soon` seconds, then kills the sandbox. Returns the exit
        status, stdout and stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.run.wait(soon)
        self.kill()
        with self.out, self.err, self.line:
            return (self.stopped or self.run.returncode, everything(self.out),
                    everything(self.err).decode(errors="replace"))
