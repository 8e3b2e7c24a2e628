/*
 * cage UID SECONDS MEGABYTES COMMAND...: runs a command that is not trusted.
 *
 * If this is root the command gets the user number UID, which nobody else has.
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
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8192, TOGETHER = 64 }; /* processes: here, of the command */

static struct {
    pid_t pid, parent;
    long pages;
    bool ours;
} list[MOST];

static volatile sig_atomic_t told_to_stop;

static void stop(int signal_number)
{
    told_to_stop = signal_number;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Lists the processes that live: PID (NAME) STATE PARENT ... PAGES ...; the
 * name may hold anything, and the last `)` ends it. */
static size_t look_around(void)
{
    glob_t all = {0};
    size_t n = 0;

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
    return n;
}

/* How many descend from this process, and their pages; with a signal they
 * get it. */
static size_t descendants(long *pages, int signal_number)
{
    size_t n = look_around(), ours = 0, before;

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

/* The type of `what` is an enumeration in one C library, an int in others. */
#define LIMIT(what, most) setrlimit(what, &(struct rlimit){most, most})

static void become(uid_t uid, long seconds, char *command[])
{
    setsid();
    LIMIT(RLIMIT_CORE, 0);
    LIMIT(RLIMIT_CPU, (rlim_t)seconds);
    LIMIT(RLIMIT_FSIZE, 64 << 20);
    LIMIT(RLIMIT_NOFILE, 64);
    if (geteuid() == 0) {
        LIMIT(RLIMIT_NPROC, TOGETHER);
        if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
            setresuid(uid, uid, uid))
            _exit(126);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user clears it */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        execvp(command[0], command);
    _exit(126);
}

int main(int argc, char *argv[])
{
    uid_t uid = argc < 5 ? 0 : (uid_t)atol(argv[1]);
    long seconds = argc < 5 ? 0 : atol(argv[2]), pages;
    double until = now() + (double)seconds;
    pid_t command, parent = getppid(), ended;
    int status = 0;

    if (uid == 0 || seconds <= 0) {
        fprintf(stderr, "cage UID SECONDS MEGABYTES COMMAND...\n");
        return 126;
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0); /* nobody but root attaches to it */
    command = fork();
    if (command == 0)
        become(uid, seconds, argv + 4);
    for (int turn = 0; command > 0; turn++) {
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0 && ended != command)
            ;
        if (ended == command)
            break;
        status = 0;
        if (told_to_stop || now() > until || getppid() != parent)
            status = 124 << 8;
        else if (turn % 10 == 0 &&
                 (descendants(&pages, 0) > 2 * TOGETHER ||
                  pages > atol(argv[3]) * 1048576 / sysconf(_SC_PAGESIZE)))
            status = 125 << 8;
        if (status)
            break;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    end_all(uid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
