/*
 * The one command-line parser (options.h). getopt_long would accept `--st` for
 * `--step`; a script that does so breaks on the day that another option begins
 * with the same letters, so we refuse it.
 */
#include "common/program/options.h"

#include <stdio.h>
#include <string.h>

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
