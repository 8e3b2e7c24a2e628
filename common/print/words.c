/*
 * Times, rates and counts as words, and the clock (report.h).
 */
#include "common/print/report.h"

#include <string.h>
#include <time.h>

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
