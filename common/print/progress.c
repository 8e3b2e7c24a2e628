/* Prints progress, and measures and formats times (report.h). */
#include "common/print/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __wasi__ /* has no signals, and a page is no terminal */

void progress(const char *format, ...)
{
    (void)format;
}

void progress_of(const size_t *done, size_t total)
{
    (void)done, (void)total;
}

void progress_done(void)
{
}

#else

#include <signal.h>

enum { WIDEST_WHAT = 60 };
static const double silent = 2; /* seconds */

/* A signal's handler prints the line, so that steps need no code for it. */
static char what[WIDEST_WHAT + 1];
static const size_t *done_of;
static size_t total_of;
static double first, begun; /* the first call of progress, and the last */
static bool running, printed;

static bool is_terminal(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

/* A handler must not call printf. */
static void put(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

    (void)ignored;
}

static void print_line(void)
{
    size_t done = done_of ? *(const volatile size_t *)done_of : 0;
    double share = done > 0 ? (double)done / (double)total_of : 0;
    size_t n = (size_t)(share > 0 ? 100 * share : stopwatch() - begun);
    char number[32] = "", *at = number + sizeof number - 1;

    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    put("\r\033[K");
    put(what);
    put(share > 0 ? ": " : ", ");
    put(at);
    put(share > 0 ? "%" : " s");
    printed = true;
}

static void on_alarm(int number)
{
    int before = errno;

    (void)number;
    if (stopwatch() - first >= silent)
        print_line();
    alarm(1);
    errno = before;
}

void progress(const char *format, ...)
{
    struct sigaction action = {.sa_flags = SA_RESTART};
    unsigned others = alarm(0);
    va_list arguments;

    if (!is_terminal() || (others && !running)) {
        alarm(others); /* a test's time limit */
        return;
    }
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    done_of = NULL;
    begun = stopwatch();
    first = first > 0 ? first : begun;
    running = true;
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    if (begun - first >= silent)
        print_line();
    alarm(1);
}

void progress_of(const size_t *done, size_t total)
{
    total_of = total;
    done_of = total > 0 ? done : NULL;
}

void progress_done(void)
{
    if (!running)
        return;
    alarm(0);
    signal(SIGALRM, SIG_DFL);
    running = false;
    if (printed)
        put("\r\033[K");
    printed = false;
}

#endif

double stopwatch(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the time with three significant digits, or more if more are before
 * the point. Uses the largest unit in which it is at least 1.00, or ns. */
words time_text(double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double x = seconds * 1e9;
    size_t k = 0;
    words w;

    for (; x >= 999.5 && k + 1 < 4; k++)
        x /= 1000;
    snprintf(w.text, sizeof(w.text), "%.*f %s", x < 9.995 ? 2 : x < 99.95, x,
             units[k]);
    return w;
}
