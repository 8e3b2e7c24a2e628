/*
 * What only the programs of attention ask of their options (options.h): signed
 * and broken numbers, and groups of options. strtol and strtod take more than
 * we want (blanks, hex, nan): the characters are looked at first.
 */
#include "common/program/options.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int read_integer(option *o, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');

    errno = 0;
    long n = strtol(text, NULL, 10);

    if (!*digits || digits[strspn(digits, "0123456789")] || errno)
        return option_refuse(o, "'%s' is not a whole number (such as -3 or 12)",
                             text);
    o->integer = n;
    return 0;
}

int read_number(option *o, const char *text)
{
    char *end;
    double x = strtod(text, &end);

    if (!*text || *end || text[strspn(text, "0123456789+-.eE")] ||
        !(fabs(x) <= (double)FLT_MAX))
        return option_refuse(
            o, "'%s' is not a number finite in fp32 (such as 0.125 or -2e-3)",
            text);
    o->number = (float)x;
    return 0;
}

const option *options_given(const option options[], int first, int last)
{
    for (int k = first; k <= last; k++)
        if (options[k].given)
            return &options[k];
    return NULL;
}

int options_exclude(const option options[], int first, int second)
{
    if (options[first].given && options[second].given)
        return option_refuse(&options[first], "not together with --%s",
                             options[second].name);
    return 0;
}
