/*
 * cage UID SECONDS MEGABYTES BOXED COMMAND...: runs a command that is not
 * trusted, and ends it and all that it starts, orphans too, when it ends, when
 * the wall clock has run for SECONDS, when together they hold more than
 * MEGABYTES, or when whoever started the cage is gone. What belongs to UID is
 * the command's, if this is root. BOXED is yes if the command is a sandbox,
 * which needs namespaces; no other gets any. Exit: the command's status, 124
 * for the clock, 125 for the memory, 126 if it could not be started.
 *
 * 64-bit Linux only: it reads /proc, and is the new parent of orphans.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <linux/audit.h>
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Does the process descend from this one, and how many pages does it hold?
 * /proc/PID/stat is PID (NAME) STATE PARENT ... THREADS ... PAGES ...; the name
 * may hold anything, and the last `)` ends it. A dead one whose threads go on
 * shows no pages: it hides them. */
static bool is_ours(int pid, long *pages)
{
    char path[40], line[1024] = "", state, *end;
    int parent, threads;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    f = fopen(path, "r");
    if (!f)
        return false;
    line[fread(line, 1, sizeof line - 1, f)] = '\0';
    fclose(f);
    end = strrchr(line, ')');
    if (!end ||
        sscanf(end + 1,
               " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
               " %*s %d %*s %*s %*s %ld",
               &state, &parent, &threads, pages) != 4)
        return false;
    if (state == 'Z' && threads > 1)
        *pages = 1L << 30;
    return parent == getpid() || (parent > 1 && is_ours(parent, &(long){0}));
}

/* Sends all that descend from this process a signal, or 0: none. How many pages
 * do they hold? */
static long descendants(int signal_number)
{
    glob_t all = {0};
    long pages = 0, its;

    glob("/proc/[1-9]*", GLOB_NOSORT, NULL, &all);
    for (size_t k = 0; k < all.gl_pathc; k++) {
        int pid = atoi(all.gl_pathv[k] + strlen("/proc/"));

        if (is_ours(pid, &its)) {
            pages += its;
            kill(pid, signal_number);
        }
    }
    globfree(&all);
    return pages;
}

/* Nothing that the command started is left, not even dead. */
static void end_all(uid_t uid)
{
    for (int k = 0; k < 1000 && waitpid(-1, NULL, WNOHANG) >= 0; k++) {
        /* All of that user at once: faster than they can fork. */
        if (geteuid() == 0 && fork() == 0) {
            if (setresuid(uid, uid, uid) == 0)
                kill(-1, SIGKILL);
            _exit(0);
        }
        descendants(SIGKILL);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
}

#ifndef SYS_mkdir
#define SYS_mkdir SYS_mkdirat
#endif

/* Memory that belongs to no process is not to be had, since nobody would see
 * it: neither shared, nor in a file system of one's own, for which it takes a
 * namespace. Nor are folders outside a sandbox, which take so long to remove,
 * and the calls of other machines, which have other numbers. */
static bool refuse(bool boxed)
{
#define LOAD(what)                                                             \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define REFUSE_IF(test, k, end) BPF_JUMP(BPF_JMP | test | BPF_K, k, end, 0)
    struct sock_filter f[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, __AUDIT_ARCH_64BIT, 0, 13),
        LOAD(nr),
        REFUSE_IF(BPF_JGE, 0x40000000, 11), /* x32 */
        REFUSE_IF(BPF_JEQ, SYS_memfd_create, 10),
        REFUSE_IF(BPF_JEQ, SYS_shmget, 9),
        BPF_STMT(BPF_JMP | BPF_JA, boxed ? 7 : 0),
        REFUSE_IF(BPF_JEQ, SYS_mkdir, 7),
        REFUSE_IF(BPF_JEQ, SYS_mkdirat, 6),
        REFUSE_IF(BPF_JEQ, SYS_unshare, 5),
        REFUSE_IF(BPF_JEQ, SYS_clone3, 4), /* its flags can't be seen */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
        LOAD(args),
        REFUSE_IF(BPF_JSET, CLONE_NEWUSER, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                 &(struct sock_fprog){sizeof f / sizeof f[0], f}) == 0;
}

int main(int argc, char *argv[])
{
    long most;
    int status = 0, came;
    pid_t command;
    sigset_t all;

    if (argc < 6) {
        fprintf(stderr, "cage UID SECONDS MEGABYTES BOXED COMMAND...\n");
        return 126;
    }
    most = (atol(argv[3]) << 20) / sysconf(_SC_PAGESIZE);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0); /* nobody but root attaches to it */
    command = fork();
    if (command <= 0) {
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        setsid();
        if (geteuid() == 0)
            unshare(CLONE_NEWNET | CLONE_NEWIPC); /* if this root may */
        if (command == 0 && refuse(strcmp(argv[4], "yes") == 0))
            execvp(argv[5], argv + 5);
        _exit(126);
    }
    alarm((unsigned)atoi(argv[2]));
    do {
        came = sigtimedwait(&all, NULL, &(struct timespec){0, 100000000});
        if (waitpid(command, &status, WNOHANG) != 0)
            break;
        if (came == SIGALRM || came == SIGTERM || came == SIGINT)
            status = 124 << 8;
        else if (descendants(0) > most)
            status = 125 << 8;
    } while (status == 0);
    end_all((uid_t)atol(argv[1]));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
