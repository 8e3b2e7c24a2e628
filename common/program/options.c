/*
 * The one command-line parser (options.h), over getopt_long. getopt_long
 * would accept `--st` for `--step`; a script that does so breaks on the day
 * that another option begins with the same letters, so we refuse it.
 */
#include "common/program/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_VALUE = 256 /* above every char */ };

int options_at_most_one(const option *const options[])
{
    const option *first = NULL;

    for (size_t k = 0; options[k]; k++) {
        if (options[k]->given && first)
            return option_refuse(first, "not together with --%s (one of them)",
                                 options[k]->name);
        if (options[k]->given)
            first = options[k];
    }
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
        if (o->type != CHOICE)
            continue;
        for (size_t k = 0; o->choices[k]; k++)
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

static bool spelled_out(const char *argument, const char *name)
{
    size_t length = strcspn(argument, "=");

    return length == 2 + strlen(name) &&
           !strncmp(argument + 2, name, strlen(name));
}

/* How many there are; 0 after one line on stderr if there is no room. */
static size_t as_getopt_wants(const option *options, struct option *table)
{
    size_t n = 0;

    while (options[n].name)
        n++;
    if (n > MOST_OPTIONS) {
        fprintf(stderr, "options_parse: %zu options, and room for %d\n", n,
                MOST_OPTIONS);
        return 0;
    }
    for (n = 0; options[n].name; n++)
        table[n] = (struct option){options[n].name,
                                   options[n].type == FLAG ? no_argument
                                                           : required_argument,
                                   NULL, FIRST_VALUE + (int)n};
    table[n] = (struct option){"help", no_argument, NULL, 'h'};
    table[n + 1] = (struct option){0};
    return n;
}

/* One option, which began at argument: 0, or 2 after saying why not. */
static int take(option *options, size_t n, int found, const char *argument)
{
    size_t k =
        (size_t)((found == '?' || found == ':' ? optopt : found) - FIRST_VALUE);

    if (k >= n || !spelled_out(argument, options[k].name))
        return refuse_unknown(options, argument);
    if (found == '?')
        return option_refuse(&options[k], "takes no value");
    if (found == ':')
        return option_read(&options[k], "");
    if (options[k].given)
        return option_refuse(&options[k], "given twice (once is allowed)");
    options[k].given = true;
    return option_read(&options[k], optarg ? optarg : "");
}

bool options_parse(option *options, const char *about, const char *example,
                   int argc, char **argv, int *status)
{
    struct option table[MOST_OPTIONS + 2];
    size_t n = as_getopt_wants(options, table);
    int found, at = 1;

    opterr = 0; /* the messages are ours */
    optind = 0; /* start afresh: tests parse many command lines */
    *status = 2;
    if (options->name && n == 0)
        return false;
    while (found = getopt_long(argc, argv, "+:h", table, NULL), found != -1) {
        const char *argument = argv[at];

        if (found == 'h' &&
            (!strcmp(argument, "-h") || spelled_out(argument, "help"))) {
            print_help(options, about, example);
            *status = 0;
            return false;
        }
        if (take(options, n, found, argument) != 0)
            return false;
        at = optind;
    }
    if (optind < argc) {
        fprintf(stderr,
                "'%s': not an option (all of them begin with --; see "
                "--help)\n",
                argv[optind]);
        return false;
    }
    *status = 0;
    return true;
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
