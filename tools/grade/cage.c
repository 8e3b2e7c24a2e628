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
#include <ctype.h>
#include <dirent.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 8192
#define TOGETHER       64 /* processes that the command may be */

typedef struct {
    pid_t pid, parent;
    long pages;
    bool ours;
} process;

static volatile sig_atomic_t told_to_stop;

static void stop(int signal_number)
{
    (void)signal_number;
    told_to_stop = 1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What /proc/PID/stat says; false if the process is gone, or dead already. */
static bool look_at(const char *pid, process *p)
{
    char path[64], state;
    FILE *f;
    int got;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    f = fopen(path, "r");
    if (!f)
        return false;
    /* PID (NAME) STATE PARENT ...; a name may hold anything, and `)` ends it */
    got = fscanf(f, "%d (%*15[^\n]", &p->pid);
    rewind(f);
    char line[1024] = "";
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    char *end = NULL;
    for (char *c = line; *c; c++)
        if (*c == ')')
            end = c;
    if (got != 1 || !end)
        return false;
    p->ours = false;
    return sscanf(end + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d"
                  " %*d %*d %*d %*d %*u %*u %ld",
                  &state, &p->parent, &p->pages) == 3 &&
           state != 'Z' && state != 'X';
}

/* Everything that descends from this process; how many, and their pages. */
static size_t descendants(process list[MOST_PROCESSES], long *pages)
{
    DIR *proc = opendir("/proc");
    size_t n = 0, ours = 0;
    bool more = true;

    *pages = 0;
    for (struct dirent *e; proc && n < MOST_PROCESSES && (e = readdir(proc));)
        if (isdigit((unsigned char)e->d_name[0]) &&
            look_at(e->d_name, &list[n]))
            n++;
    if (proc)
        closedir(proc);
    while (more) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            bool child = list[i].parent == getpid();

            for (size_t k = 0; k < n && !child; k++)
                child = list[k].ours && list[k].pid == list[i].parent;
            if (child && !list[i].ours) {
                list[i].ours = more = true;
                *pages += list[i].pages;
                ours++;
            }
        }
    }
    for (size_t i = 0, k = 0; i < n; i++)
        if (list[i].ours)
            list[k++] = list[i];
    return ours;
}

/* Nothing that the command started is left. */
static void end_all(uid_t uid, process list[MOST_PROCESSES])
{
    double until = now() + 5;
    long pages;
    size_t n;

    while ((n = descendants(list, &pages)) > 0 && now() < until) {
        /* All of that user at once: faster than they can fork. */
        if (geteuid() == 0 && fork() == 0) {
            if (setresuid(uid, uid, uid) == 0)
                kill(-1, SIGKILL);
            _exit(0);
        }
        for (size_t i = 0; i < n; i++)
            kill(list[i].pid, SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    /* Those that are dead: until there is no child. */
    while (waitpid(-1, NULL, WNOHANG) >= 0 && now() < until)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* The type of `what` is an enumeration in one C library, an int in others. */
#define LIMIT(what, most) setrlimit(what, &(struct rlimit){most, most})

static void become(uid_t uid, long seconds, char *command[])
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    LIMIT(RLIMIT_CORE, 0);
    LIMIT(RLIMIT_CPU, (rlim_t)seconds);
    LIMIT(RLIMIT_FSIZE, 64 << 20);
    LIMIT(RLIMIT_NOFILE, 64);
    if (geteuid() == 0) {
        LIMIT(RLIMIT_NPROC, TOGETHER);
        if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
            setresuid(uid, uid, uid))
            _exit(126);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user clears it */
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        execvp(command[0], command);
    _exit(126);
}

int main(int argc, char *argv[])
{
    static process list[MOST_PROCESSES];
    uid_t uid = argc > 4 ? (uid_t)atol(argv[1]) : 0;
    long seconds = argc > 4 ? atol(argv[2]) : 0, pages;
    long most =
        argc > 4 ? atol(argv[3]) * 1024 / (sysconf(_SC_PAGESIZE) / 1024) : 0;
    double until = now() + (double)seconds;
    pid_t command, parent = getppid(), ended;
    int status = 0, result = 124;

    if (uid == 0 || seconds <= 0 || most <= 0) {
        fprintf(stderr, "cage UID SECONDS MEGABYTES COMMAND...\n");
        return 126;
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    command = fork();
    if (command == 0)
        become(uid, seconds, argv + 4);
    for (int turn = 0; command > 0; turn++) {
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0 && ended != command)
            ;
        if (ended == command) {
            result = WIFEXITED(status) ? WEXITSTATUS(status)
                                       : 128 + WTERMSIG(status);
            break;
        }
        if (told_to_stop || now() > until || getppid() != parent)
            break;
        if (turn % 10 == 0 &&
            (descendants(list, &pages) > 2 * TOGETHER || pages > most)) {
            result = 125;
            break;
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    end_all(uid, list);
    return result;
}
