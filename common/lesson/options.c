#include "common/lesson/options.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/print/outside.h"

/* One option. Its value is stored in *flag, *size or *word; the other two
 * pointers are NULL. */
typedef struct {
    const char *name, *value, *help;
    bool *flag;
    size_t *size;
    const char **word;
} lesson_option;

/* True if the list of words has the word. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') &&
            (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void print_help(const lesson_option *options, const char *about)
{
    printf("%s\n\noptions:\n", about);
    for (const lesson_option *o = options; o->name; o++) {
        int width = printf("  %s%s", o->name, o->value);

        printf("%*s%s\n", 15 - width, "", o->help);
    }
    puts("  --help       this text\n\n"
         "For your own arrays, masks, tile sizes, plots: make flash, then "
         "./flash --help");
}

static int refuse_unknown(const lesson_option *options, const char *argument)
{
    fprintf(stderr, "%s: no such option (allowed:", shown(argument).text);
    for (const lesson_option *o = options; o->name; o++)
        fprintf(stderr, " %s", o->name);
    fputs(" --help)\n", stderr);
    return 2;
}

/* Returns the option of an argument --name or --name=value, or NULL. */
static const lesson_option *named(const lesson_option *options,
                                  const char *argument)
{
    size_t length = strcspn(argument, "=");

    for (const lesson_option *o = options; o->name; o++)
        if (strlen(o->name) == length &&
            strncmp(argument, o->name, length) == 0)
            return o;
    return NULL;
}

static bool is_given(const lesson_option *o)
{
    return o->flag ? *o->flag : o->word ? *o->word != NULL : *o->size != 0;
}

/* Refuses --trace or --csv together with any other option. Exception: programs
 * without --n accept --trace with --step. */
static int check_alone(const lesson_option *options)
{
    const lesson_option *trace = named(options, "--trace");
    const lesson_option *csv = named(options, "--csv");
    const lesson_option *alone = csv && is_given(csv) ? csv : trace;

    for (const lesson_option *o = options; o->name && alone; o++) {
        bool fits = alone == trace && !named(options, "--n") &&
                    strcmp(o->name, "--step") == 0;

        if (is_given(alone) && is_given(o) && o != alone && !fits)
            return refused(2, alone->name, "not together with %s", o->name);
    }
    return 0;
}

static int store(const lesson_option *o, const char *value)
{
    if (is_given(o))
        return refused(2, o->name, "given twice (once is allowed)");
    if (o->flag) {
        *o->flag = true;
        return value ? refused(2, o->name, "takes no value") : 0;
    }
    if (!value || !*value || strncmp(value, "--", 2) == 0)
        return refused(2, o->name, "no value (expected: %s%s)", o->name,
                       o->value);
    if (o->word)
        *o->word = value;
    else if (!size_from(value, o->size) || *o->size == 0)
        return refused(2, o->name, "'%s' is not a whole number from 1 to %zu",
                       shown(value).text, (size_t)SIZE_MAX);
    return 0;
}

bool options_read(lesson_options *o, const char *about, const char *takes,
                  int argc, char **argv, int *status)
{
    lesson_option options[] = {
        {"--trace", "", "a worked example, value by value", .flag = &o->trace},
        {"--csv", "", "the data of the chapter's plot", .flag = &o->csv},
        {"--causal", "", "keys j <= i + Nk - Nq only", .flag = &o->causal},
        {"--step", " NAME", "this step alone", .word = &o->step},
        {"--n", " Nq", "use a random head: queries (500)", .size = &o->n},
        {"--nk", " Nk", "keys of the random head (Nq)", .size = &o->nk},
        {"--d", " d", "head dimension (32)", .size = &o->d},
        {"--seed", " S", "seed of the random head (1)", .size = &o->seed},
        {"--sram", " M", "elements on chip (8192)", .size = &o->sram},
        {0},
    };
    size_t n = 0;

    for (size_t k = 0; options[k].name; k++)
        if (has_word(takes, options[k].name + 2))
            options[n++] = options[k];
    options[n].name = NULL;

    *o = (lesson_options){.no_options = argc < 2};
    *status = 0;
    for (int k = 1; k < argc && *status == 0; k++) {
        const lesson_option *given = named(options, argv[k]);
        const char *equals = strchr(argv[k], '=');

        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
            print_help(options, about);
            return false;
        }
        if (!given)
            *status = refuse_unknown(options, argv[k]);
        else if (equals)
            *status = store(given, equals + 1);
        else
            *status = store(given, given->flag ? NULL : argv[++k]);
    }
    if (*status == 0)
        *status = check_alone(options);
    o->sram = o->sram ? o->sram : 8192;
    if (o->n || o->nk || o->d || o->seed) {
        o->n = o->n ? o->n : 500;
        o->nk = o->nk ? o->nk : o->n;
        o->d = o->d ? o->d : 32;
        o->seed = o->seed ? o->seed : 1;
    }
    return *status == 0;
}
