/*
 * cage UID SECONDS MEGABYTES COMMAND...: runs a command that is not trusted.
 *
 * If this is root the command gets the user number UID, which nobody else has,
 * and a group of processes whose memory the kernel limits, where it has those.
 * The command and all that it starts, orphans too, end when it ends, when the
 * wall clock has run for SECONDS, when together they hold more than MEGABYTES,
 * or when whoever started the cage is gone. Exit: the command's status, 124
 * for the clock, 125 for the memory, 126 if it could not be started.
 *
 * Linux only: it reads /proc, and collects orphans as their new parent.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8192, TOGETHER = 64 }; /* processes: here, of the command */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How many processes descend from this one, and their pages; with a signal they
 * get it. /proc/PID/stat is PID (NAME) STATE PARENT ... PAGES ...; the name may
 * hold anything, and the last `)` ends it. */
static size_t descendants(long *pages, int signal_number)
{
    static struct {
        pid_t pid, parent;
        long pages;
        bool ours;
    } list[MOST];
    glob_t all = {0};
    size_t n = 0, ours = 0, before;

    glob("/proc/[1-9]*/stat", GLOB_NOSORT, NULL, &all);
    for (size_t k = 0; k < all.gl_pathc && n < MOST; k++) {
        char line[1024] = "", state = 'Z', *end;
        FILE *f = fopen(all.gl_pathv[k], "r");

        if (!f)
            continue;
        line[fread(line, 1, sizeof line - 1, f)] = '\0';
        fclose(f);
        end = strrchr(line, ')');
        list[n].pid = atoi(line);
        list[n].ours = false;
        if (end &&
            sscanf(end + 1,
                   " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
                   " %*s %*s %*s %*s %*s %*s %*s %ld",
                   &state, &list[n].parent, &list[n].pages) == 3)
            n += state != 'Z' && state != 'X';
    }
    globfree(&all);
    *pages = 0;
    do {
        before = ours;
        for (size_t i = 0; i < n; i++) {
            bool child = list[i].parent == getpid();

            for (size_t k = 0; k < n && !child; k++)
                child = list[k].ours && list[k].pid == list[i].parent;
            if (!child || list[i].ours)
                continue;
            list[i].ours = true;
            ours++;
            *pages += list[i].pages;
            if (signal_number)
                kill(list[i].pid, signal_number);
        }
    } while (ours > before);
    return ours;
}

/* Nothing that the command started is left, not even dead. */
static void end_all(uid_t uid)
{
    double until = now() + 5;
    long pages;

    do {
        /* All of that user at once: faster than they can fork. */
        if (geteuid() == 0 && fork() == 0) {
            if (setresuid(uid, uid, uid) == 0)
                kill(-1, SIGKILL);
            _exit(0);
        }
        descendants(&pages, SIGKILL);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    } while (waitpid(-1, NULL, WNOHANG) >= 0 && now() < until);
}

/* The kernel's groups of processes, version 2 and 1: a file is written where it
 * is there. Where there is none, the watch in main has to do. */
static void group(pid_t id, const char *file, long value)
{
    static const char *const roots[] = {"", "memory/"};
    char path[99];
    FILE *f;

    for (int r = 0; r < 2; r++) {
        snprintf(path, sizeof path, "/sys/fs/cgroup/%scage.%d%s", roots[r], id,
                 file);
        if (!*file && (value ? mkdir(path, 0700) : rmdir(path)) == 0)
            continue;
        f = fopen(path, "r+");
        if (f) {
            fprintf(f, "%ld", value);
            fclose(f);
        }
    }
}

/* Memory that belongs to no process is not to be had: nobody would see it. */
static void refuse(void)
{
    struct sock_filter f[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_memfd_create},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_shmget},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 1},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };

    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){5, f});
}

/* The type of `what` is an enumeration in one C library, an int in others. */
#define LIMIT(what, most) setrlimit(what, &(struct rlimit){most, most})

static void become(uid_t uid, long seconds, char *command[])
{
    FILE *f = geteuid() == 0 ? NULL : fopen("/proc/loadavg", "r");
    rlim_t others =
        0; /* a user's own count, too: at most as many as there are */

    if (f && fscanf(f, "%*f %*f %*f %*d/%lu", &others) == 1)
        fclose(f);
    setsid();
    group(getppid(), "/cgroup.procs", 0); /* itself */
    LIMIT(RLIMIT_CORE, 0);
    LIMIT(RLIMIT_CPU, (rlim_t)seconds);
    LIMIT(RLIMIT_FSIZE, 64 << 20);
    LIMIT(RLIMIT_NOFILE, 64);
    LIMIT(RLIMIT_NPROC, TOGETHER + others);
    if (geteuid() == 0) {
        unshare(CLONE_NEWNET | CLONE_NEWIPC); /* if this root may */
        if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
            setresuid(uid, uid, uid))
            _exit(126);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user clears it */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        refuse();
        execvp(command[0], command);
    }
    _exit(126);
}

int main(int argc, char *argv[])
{
    bool told = argc >= 5;
    uid_t uid = told ? (uid_t)atol(argv[1]) : 0;
    long seconds = told ? atol(argv[2]) : 0, pages;
    long most = told ? atol(argv[3]) << 20 : 0;
    double until = now() + (double)seconds;
    pid_t command, ended;
    int status = 0, came;
    sigset_t heard;

    if (uid == 0 || seconds <= 0) {
        fprintf(stderr, "cage UID SECONDS MEGABYTES COMMAND...\n");
        return 126;
    }
    sigemptyset(&heard);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGINT);
    sigaddset(&heard, SIGCHLD);
    sigprocmask(SIG_BLOCK, &heard, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0); /* nobody but root attaches to it */
    group(getpid(), "", 1);
    group(getpid(), "/memory.max", most);
    group(getpid(), "/memory.limit_in_bytes", most);
    command = fork();
    if (command == 0) {
        sigprocmask(SIG_UNBLOCK, &heard, NULL);
        become(uid, seconds, argv + 4);
    }
    while (command > 0 && status == 0) {
        came = sigtimedwait(&heard, NULL, &(struct timespec){0, 100000000});
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0 && ended != command)
            ;
        if (ended == command)
            break;
        status = 0;
        if (came == SIGTERM || came == SIGINT || now() > until)
            status = 124 << 8;
        else if (descendants(&pages, 0) > 2 * TOGETHER ||
                 pages > most / sysconf(_SC_PAGESIZE))
            status = 125 << 8;
    }
    end_all(uid);
    group(getpid(), "", 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
