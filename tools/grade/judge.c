/*
 * The judge's half of remote.h: starts a worker, asks it, and fails the test
 * that runs where no answer comes. A worker that ended, or that was left in
 * the middle of a call, is replaced. The environment says:
 *
 *   GRADE_WORKER   the script that starts one (grade.py), its socket descriptor 3
 *   GRADE_SECONDS  of wall clock for a call; after four that were late, one
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/testing/run_tests.h"
#include "tools/grade/remote.h"

static pid_t worker;
static int to_worker, late_calls, how_it_ended;
static bool in_a_call;
static volatile sig_atomic_t late;

/* At the end, too. */
static void __attribute__((destructor)) stop_worker(void)
{
    if (worker > 0) {
        fclose(wire_in);
        fclose(wire_out);
        kill(worker, SIGTERM); /* its sandbox ends with it */
        waitpid(worker, &how_it_ended, 0);
    }
    worker = 0;
    in_a_call = false;
}

/* Whoever waits for the worker then finds the line cut. */
static void time_is_up(int signal_number)
{
    (void)signal_number;
    late = 1;
    shutdown(to_worker, SHUT_RDWR);
}

/* So long may it take: five seconds, and after four calls that took longer one. */
static unsigned limit(void)
{
    return late_calls < 4 ? (unsigned)atoi(getenv("GRADE_SECONDS")) : 1;
}

static void start_worker(void)
{
    static int begun;
    int ends[2];

    if (begun++ == 30) /* a claim that fails ends one at most */
        exit(1);
    prctl(PR_SET_DUMPABLE, 0); /* nobody but root attaches to it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, time_is_up);
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        fail_msg("the grader has no socket");
    to_worker = ends[0];
    worker = fork();
    if (worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], 3);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        close_range(4, ~0U, 0);
        signal(SIGPIPE, SIG_DFL);
        execl("/usr/bin/python3", "python3", "-BEs", getenv("GRADE_WORKER"),
              "worker", (char *)0);
        _exit(1);
    }
    close(ends[1]);
    wire_in = fdopen(to_worker, "r");
    wire_out = fdopen(dup(to_worker), "w");
    /* The time until it is there is the machine's, not the submission's. */
    late = 0;
    alarm(8 * limit());
    if (getc(wire_in) != READY) {
        late_calls = 4;
        wire_is_cut();
    }
}

void wire_is_cut(void)
{
    const char *why = "the function did not come back: the program ended in it";
    int code;

    alarm(0);
    late_calls += late;
    stop_worker();
    code = WIFEXITED(how_it_ended) ? WEXITSTATUS(how_it_ended) : 0;
    if (late || code == 124)
        why = "no answer came in time: does a loop not end, or wait?";
    else if (code == 125 || code == 128 + SIGKILL)
        why = "more memory, or more processes, than an exercise needs";
    else if (code > 128)
        why = "the function did not come back: it crashed";
    puts("# cut"); /* grade.py looks whether this machine is to blame */
    print_error("%s\n", why);
    _fail(__FILE__, __LINE__);
    abort();
}

bool reply(void)
{
    int came = wire_send(CALL) ? getc(wire_in) : -1;

    if (came != ANSWER && came != QUESTION)
        wire_is_cut();
    in_a_call = came == QUESTION;
    return in_a_call;
}

/* The clock runs until all is heard, and questions don't set it back; should
 * it ring later, between calls, the next gets a new worker. */
bool exchange(void)
{
    if (in_a_call || late)
        stop_worker();
    if (worker == 0)
        start_worker();
    in_a_call = true;
    late = 0;
    alarm(limit());
    return reply();
}
