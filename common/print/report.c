/*
 * Headings, paragraphs, progress, numbers as words, the clock and the end
 * (report.h).
 */
#include "common/print/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDEST = 79 };

bool report_styled(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fileno(stream)) && !(no_color && *no_color) &&
           !(term && !strcmp(term, "dumb"));
}

void heading(const char *format, ...)
{
    bool styled = report_styled(stdout);
    va_list arguments;

    va_start(arguments, format);
    fputs(styled ? "\033[1m" : "", stdout);
    vprintf(format, arguments);
    puts(styled ? "\033[0m" : "");
    va_end(arguments);
}

void next_step(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs(report_styled(stdout) ? "\033[1mnext:\033[0m " : "next: ", stdout);
    vprintf(format, arguments);
    puts("");
    va_end(arguments);
}

void prose(const char *format, ...)
{
    char text[2001];
    size_t column = 0;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    for (const char *word = text + strspn(text, " "); *word;) {
        size_t length = strcspn(word, " ");

        if (column && column + 1 + length > WIDEST) {
            putchar('\n');
            column = 0;
        }
        column +=
            (size_t)printf("%s%.*s", column ? " " : "", (int)length, word);
        word += length;
        word += strspn(word, " ");
    }
    putchar('\n');
}

/* Wiping a line is no colour, but a dumb terminal cannot do it. */
static bool has_progress(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

void progress(const char *format, ...)
{
    va_list arguments;

    if (!has_progress())
        return;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
}

void progress_done(void)
{
    if (has_progress())
        fputs("\r\033[K", stderr);
}

double stopwatch(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* x to three digits, of which none is lost before the point, in the last of
 * the units of which it is at least 1: each is 1000 of the one before. */
static words in_units(double x, const char *const units[], size_t n, int digits)
{
    size_t k = 0;
    words w;

    for (; x >= 999.5 && k + 1 < n; k++)
        x /= 1000;
    digits = x < 9.995 ? digits : x < 99.95 ? 1 : 0;
    snprintf(w.text, sizeof(w.text), "%.*f %s", digits, x, units[k]);
    return w;
}

words time_text(double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    return in_units(seconds * 1e9, units, 4, 2);
}

words rate_text(double per_second, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    words w = in_units(per_second, prefixes, 5, 1);
    size_t n = strlen(w.text);

    snprintf(w.text + n, sizeof(w.text) - n, "%s/s", unit);
    return w;
}

words count_text(size_t n)
{
    words w;
    size_t at = (size_t)snprintf(w.text, sizeof(w.text), "%zu", n);

    while (at > 3) { /* a comma before the last three, and so on */
        at -= 3;
        memmove(w.text + at + 1, w.text + at, strlen(w.text + at) + 1);
        w.text[at] = ',';
    }
    return w;
}

words error_text(double error)
{
    words w;

    if (isnan(error))
        strcpy(w.text, "NaN");
    else
        snprintf(w.text, sizeof(w.text), error == 0.0 ? "%.0f" : "%.1e", error);
    return w;
}

int report_end(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "stdout: cannot write: %s\n", strerror(errno));
    return status ? status : 1;
}
