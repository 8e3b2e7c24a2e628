/* Parses signed numbers and one-word command lines (outside.h). */
#include "common/print/outside.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_made_of(const char *text, const char *characters)
{
    return *text && !text[strspn(text, characters)];
}

bool integer_from(const char *text, long *x)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (!is_made_of(text, "0123456789+-") || *end || errno)
        return false;
    *x = n;
    return true;
}

bool number_from(const char *text, float *x)
{
    char *end;
    double n = strtod(text, &end);

    if (!is_made_of(text, "0123456789+-.eE") || *end ||
        !(fabs(n) <= (double)FLT_MAX))
        return false;
    *x = (float)n;
    return true;
}

int word_given(int argc, char **argv, const char *const known[])
{
    int k = 0;

    while (known[k] && (argc != 2 || strcmp(argv[1], known[k]) != 0))
        k++;
    if (known[k] || argc == 1)
        return k;
    fprintf(stderr, "'%s': unknown argument (allowed: one of",
            shown(argv[argc > 2 ? 2 : 1]).text);
    for (k = 0; known[k]; k++)
        fprintf(stderr, " %s", known[k]);
    fputs(", or none)\n", stderr);
    return -1;
}
