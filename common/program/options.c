/*
 * The one command-line parser (options.h). getopt_long would accept `--st` for
 * `--step`; a script that does so breaks on the day that another option begins
 * with the same letters, so we refuse it. strtoull, strtol and strtod take more
 * than we want (blanks, signs, hex, nan): the characters are looked at first.
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

/* --- Values ---------------------------------------------------------------- */

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

/* --- The command line ------------------------------------------------------ */

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

static void print_help(const option *options, const char *about,
                       const char *example)
{
    int widest = (int)strlen("help");

    for (const option *o = options; o->name; o++) {
        size_t value = o->value ? 1 + strlen(o->value) : 0;
        int width = (int)(strlen(o->name) + value);

        widest = width > widest ? width : widest;
    }
    printf("%s\n\noptions:\n", about);
    for (const option *o = options; o->name; o++) {
        int used = printf("  --%s", o->name);

        if (o->value)
            used += printf(" %s", o->value);
        printf("%*s%s\n", widest + 6 - used, "", o->help);
        for (size_t k = 0; o->type == CHOICE && o->choices[k]; k++)
            printf("%*s%s\n", widest + 8, "", o->choices[k]);
    }
    printf("  --%-*sthis text\n", widest + 2, "help");
    printf("\nexample:\n  %s\n", example);
}

/* About an argument that is no option of ours; lists those that are. */
static int refuse_unknown(const option *options, const char *argument)
{
    fprintf(stderr,
            "%.*s: no such option (allowed:", (int)strcspn(argument, "="),
            argument);
    for (const option *o = options; o->name; o++)
        fprintf(stderr, " --%s", o->name);
    fputs(" --help)\n", stderr);
    return 2;
}

/* --name or --name=value as the option that it names in full, or NULL. */
static option *named(option *options, const char *argument)
{
    size_t length = strcspn(argument, "=");

    for (option *o = options; o->name && !strncmp(argument, "--", 2); o++)
        if (length == 2 + strlen(o->name) &&
            !strncmp(argument + 2, o->name, length - 2))
            return o;
    return NULL;
}

/* The option at argv[*at], and its value, which may be the next argument. */
static int take(option *options, int argc, char **argv, int *at)
{
    const char *argument = argv[*at], *value = strchr(argument, '=');
    option *o = named(options, argument);

    if (!o && argument[0] == '-' && argument[1] && strcmp(argument, "--") != 0)
        return refuse_unknown(options, argument);
    if (!o) {
        fprintf(stderr,
                "'%s': not an option (all of them begin with --; see "
                "--help)\n",
                argument);
        return 2;
    }
    if (o->type == FLAG && value)
        return option_refuse(o, "takes no value");
    if (value)
        value++;
    else if (o->type == FLAG || *at + 1 == argc)
        value = "";
    else
        value = argv[++*at];
    if (o->given && (*value || o->type == FLAG))
        return option_refuse(o, "given twice (once is allowed)");
    o->given = true;
    return option_read(o, value);
}

bool options_parse(option *options, const char *about, const char *example,
                   int argc, char **argv, int *status)
{
    *status = 0;
    for (int at = 1; at < argc && *status == 0; at++) {
        if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help")) {
            print_help(options, about, example);
            return false;
        }
        *status = take(options, argc, argv, &at);
    }
    return *status == 0;
}
