/*
 * Headings, an error as a word, and the end (report.h).
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
    va_list arguments;

    va_start(arguments, format);
    fputs(report_styled(stdout) ? "\033[1mnext:\033[0m " : "next: ", stdout);
    vprintf(format, arguments);
    puts("");
    va_end(arguments);
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
