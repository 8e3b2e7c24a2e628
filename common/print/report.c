/*
 * Headings, progress and numbers as words (report.h); tables are in
 * report_table.c.
 */
#include "common/print/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    bool styled = report_styled(stdout);
    va_list arguments;

    va_start(arguments, format);
    fputs(styled ? "\033[1mnext:\033[0m " : "next: ", stdout);
    vprintf(format, arguments);
    puts("");
    va_end(arguments);
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

words error_text(double error)
{
    words w;

    if (isnan(error))
        strcpy(w.text, "NaN");
    else
        snprintf(w.text, sizeof(w.text), error == 0.0 ? "%.0f" : "%.1e", error);
    return w;
}

/* x to three digits, of which none is lost before the point. */
static int digits_after_point(double x)
{
    return x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
}

words time_text(double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double x = seconds * 1e9;
    size_t k = 0;
    words w;

    for (; x >= 999.5 && k < 3; k++)
        x /= 1000;
    snprintf(w.text, sizeof(w.text), "%.*f %s", digits_after_point(x), x,
             units[k]);
    return w;
}

words rate_text(double per_second, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    double x = per_second;
    size_t k = 0;
    words w;

    for (; x >= 999.5 && k < 4; k++)
        x /= 1000;
    snprintf(w.text, sizeof(w.text), "%.*f %s%s/s", x < 99.95 ? 1 : 0, x,
             prefixes[k], unit);
    return w;
}

words count_text(size_t n)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%zu", n), k = 0;
    words w;

    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            w.text[k++] = ',';
        w.text[k++] = digits[i];
    }
    w.text[k] = '\0';
    return w;
}

int report_end(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "stdout: cannot write: %s\n", strerror(errno));
    return status ? status : 1;
}
