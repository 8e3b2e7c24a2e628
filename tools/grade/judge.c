/*
 * The judge's half of remote.h: starts a worker, asks it, and fails the test
 * that runs where no answer comes. A worker that ended, or that was left in
 * the middle of a call, is replaced. The environment says:
 *
 *   GRADE_WORKER   the shell command that starts one, its socket descriptor 3
 *   GRADE_SAID     a file for what it prints; a message quotes it
 *   GRADE_SECONDS  of wall clock for a call; in all four times as many
 *   VARIANT        a number: the tests' random inputs are then others
 */
#include "tools/grade/remote.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/problem/random.h"
#include "common/testing/run_tests.h"
#include "tools/grade/wire.h"

static struct {
    pid_t pid;
    int fd;
    bool in_a_call;
} worker;

static const char *setting(const char *name, const char *otherwise)
{
    const char *text = getenv(name);

    return text && *text ? text : otherwise;
}

/* Every random_seed of the tests comes here (--wrap). */
random_source __real_random_seed(uint64_t seed);
random_source __wrap_random_seed(uint64_t seed);
random_source __wrap_random_seed(uint64_t seed)
{
    return __real_random_seed(
        seed + 1000003 * strtoull(setting("VARIANT", "0"), NULL, 10));
}

/* Ends it, and returns how it ended. */
static int stop_worker(void)
{
    int status = 0;

    if (worker.pid > 0) {
        close(worker.fd);
        kill(worker.pid, SIGTERM); /* the cage then ends all that is in it */
        waitpid(worker.pid, &status, 0);
    }
    worker.pid = 0;
    worker.in_a_call = false;
    return status;
}

static void run_worker(int socket_end)
{
    int nothing = open("/dev/null", O_RDONLY);
    int said = open(setting("GRADE_SAID", "/dev/null"),
                    O_WRONLY | O_CREAT | O_TRUNC, 0600);

    dup2(nothing, 0);
    dup2(said, 1);
    dup2(said, 2);
    dup2(socket_end, 3);
    for (int fd = 4; fd < 64; fd++)
        close(fd);
    execl("/bin/sh", "sh", "-c", setting("GRADE_WORKER", "exit 1"), (char *)0);
    _exit(1);
}

static void stop_at_exit(void)
{
    stop_worker();
}

static void start_worker(void)
{
    static bool begun;
    int ends[2];

    if (!begun)
        atexit(stop_at_exit);
    begun = true;

    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        fail_msg("the grader has no socket");
    worker.pid = fork();
    if (worker.pid == 0)
        run_worker(ends[1]);
    close(ends[1]);
    worker.fd = ends[0];
    fcntl(worker.fd, F_SETFD, FD_CLOEXEC);
}

/* What it printed, as far as it is short; each line marked as its own. */
static void quote(void)
{
    FILE *f = fopen(setting("GRADE_SAID", "/dev/null"), "r");
    char line[160];
    int lines = 0;

    while (f && lines < 12 && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strspn(line, "= ") != strlen(line)) {
            print_error("  | %s\n", line);
            lines++;
        }
    }
    if (f)
        fclose(f);
}

static void no_answer(bool late)
{
    int status = stop_worker(),
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

    if (late || code == 124)
        print_error("no answer came in time: does a loop not end, or wait?\n");
    else if (code == 125)
        print_error("more memory, or more processes, than an exercise needs\n");
    else if (code > 128)
        print_error("the function did not come back: it crashed (signal %d)\n",
                    code - 128);
    else
        print_error(
            "the function did not come back: the program ended in it\n");
    quote();
    fail();
}

/* Sends, and waits; a test may leave a call at any question, by failing. */
static bool send_and_wait(void)
{
    static double used;
    double seconds = atof(setting("GRADE_SECONDS", "5")), begun = wire_now();
    uint64_t kind = ANSWER;
    bool there;

    if (used > 4 * seconds) {
        going.size = 0;
        fail_msg("the time for this exercise was used up by earlier tests");
    }
    worker.in_a_call = true;
    there = wire_send(worker.fd, ANSWER) &&
            wire_receive(worker.fd, begun + seconds, &kind);
    used += wire_now() - begun;
    if (!there)
        no_answer(wire_now() - begun >= seconds);
    worker.in_a_call = kind == QUESTION;
    return worker.in_a_call;
}

bool exchange(void)
{
    if (worker.in_a_call)
        stop_worker();
    if (worker.pid == 0)
        start_worker();
    return send_and_wait();
}

bool reply(void)
{
    return send_and_wait();
}

void hear(void *x, size_t size)
{
    if (size > came.size - came.at) {
        stop_worker();
        fail_msg("the worker's answer is too short");
    }
    if (size > 0)
        memcpy(x, came.data + came.at, size);
    came.at += size;
}
