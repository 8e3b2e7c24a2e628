/* Prints progress, and measures and formats times (report.h). */
#include "common/print/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_terminal(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

void progress(const char *format, ...)
{
    va_list arguments;

    if (!is_terminal())
        return;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
}

void progress_done(void)
{
    if (is_terminal())
        fputs("\r\033[K", stderr);
}

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
