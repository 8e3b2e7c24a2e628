/*
 * The text behind an option as a value of its type (options.h). strtoull,
 * strtol and strtod take more than we want (blanks, signs, hex, nan): the
 * characters are looked at first.
 */
#include "common/program/options.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int option_refuse(const option *o, const char *what, ...)
{
    va_list arguments;

    va_start(arguments, what);
    fprintf(stderr, "--%s: ", o->name);
    vfprintf(stderr, what, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 2;
}

/* True if text is one or more digits, after one sign where `sign` allows. */
static bool is_whole(const char *text, bool sign)
{
    if (sign && (*text == '-' || *text == '+'))
        text++;
    return *text && !text[strspn(text, "0123456789")];
}

static int read_size(option *o, const char *text)
{
    errno = 0;
    unsigned long long n = strtoull(text, NULL, 10);

    if (!is_whole(text, false) || errno || n > SIZE_MAX || n < o->least)
        return option_refuse(o, "'%s' is not a whole number from %zu to %zu",
                             text, o->least, SIZE_MAX);
    o->size = (size_t)n;
    return 0;
}

static int read_integer(option *o, const char *text)
{
    errno = 0;
    long n = strtol(text, NULL, 10);

    if (!is_whole(text, true) || errno)
        return option_refuse(o, "'%s' is not a whole number (such as -3 or 12)",
                             text);
    o->integer = n;
    return 0;
}

static int read_number(option *o, const char *text)
{
    char *end;
    double x = strtod(text, &end);

    /* The characters rule out spaces, hex, nan and inf, which strtod takes. */
    if (!*text || *end || text[strspn(text, "0123456789+-.eE")] ||
        !(fabs(x) <= (double)FLT_MAX))
        return option_refuse(
            o, "'%s' is not a number finite in fp32 (such as 0.125 or -2e-3)",
            text);
    o->number = (float)x;
    return 0;
}

static int read_choice(option *o, const char *text)
{
    for (o->choice = 0; o->choices[o->choice]; o->choice++)
        if (!strcmp(o->choices[o->choice], text))
            return 0;
    fprintf(stderr, "--%s: no '%s' here (one of:", o->name, text);
    for (size_t k = 0; o->choices[k]; k++)
        fprintf(stderr, " %s", o->choices[k]);
    fputs(")\n", stderr);
    return 2;
}

int option_read(option *o, const char *text)
{
    /* `--in --out Y.npy` means a forgotten value, not a file named --out. */
    if (o->type != FLAG && (!*text || !strncmp(text, "--", 2)))
        return option_refuse(o, "no value (expected: --%s %s)", o->name,
                             o->value);
    switch (o->type) {
    case FLAG:
        return 0;
    case FILE_NAME:
        o->file = text;
        return 0;
    case SIZE:
        return read_size(o, text);
    case INTEGER:
        return read_integer(o, text);
    case NUMBER:
        return read_number(o, text);
    case CHOICE:
        return read_choice(o, text);
    }
    return 2;
}
