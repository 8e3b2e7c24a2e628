/* Prints a progress line on stderr if stderr is a terminal (report.h). */
#include "common/print/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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
