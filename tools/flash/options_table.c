/* Unlike getopt_long, the parser refuses the short form `--st` of `--step`: a
 * script with `--st` would fail when a new option begins with these letters. */
#include "tools/flash/options_table.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const option *options_given(const option options[], int first, int last)
{
    for (int k = first; k <= last; k++)
        if (options[k].given)
            return &options[k];
    return NULL;
}

int options_obey(const option options[], const option_rule rules[])
{
    for (const option_rule *r = rules; r->how; r++)
        for (int k = r->first; k <= r->last; k++) {
            const option *other = options_given(options, r->other, r->to);

            if (other == &options[k]) /* An option does not exclude itself. */
                other = options_given(options, k + 1, r->to);
            if (options[k].given && r->how == NOT_WITH && other)
                return refused(2, options[k].name, "not together with %s",
                               other->name);
            if (options[k].given && r->how == ONLY_WITH && !other)
                return refused(2, options[k].name, "only with %s",
                               options[r->other].name);
        }
    return 0;
}

/* --- The command line ----------------------------------------------------- */

static void print_help(const option *options, const char *about,
                       const char *example)
{
    int widest = (int)strlen("--help");

    for (const option *o = options; o->name; o++)
        if (o->help && (int)strlen(o->shown) > widest)
            widest = (int)strlen(o->shown);
    printf("%s\n\noptions:\n", about);
    for (const option *o = options; o->name; o++) {
        if (o->help)
            printf("  %-*s%s\n", widest + 2, o->shown, o->help);
        for (size_t k = 0; o->help && o->choices && o->choices[k]; k++)
            printf("%*s%s\n", widest + 6, "", o->choices[k]);
    }
    printf("  %-*sthis text\n\nexamples:\n%s", widest + 2, "--help", example);
}

static int refuse_unknown(const option *options, const char *argument)
{
    shown_text said = shown(argument);

    if (argument[0] != '-' || !argument[1] || !strcmp(argument, "--")) {
        fprintf(stderr,
                "'%s': not an option (options begin with --; see --help)\n",
                said.text);
        return 2;
    }
    said.text[strcspn(said.text, "=")] = '\0';
    fprintf(stderr, "%s: no such option (allowed:", said.text);
    for (const option *o = options; o->name; o++)
        if (o->help)
            fprintf(stderr, " %s", o->name);
    fputs(" --help)\n", stderr);
    return 2;
}

/* Returns the option of an argument --name or --name=value, or NULL. */
static option *named(option *options, const char *argument)
{
    size_t length = strcspn(argument, "=");

    for (option *o = options; o->name; o++)
        if (o->help && length == strlen(o->name) &&
            !strncmp(argument, o->name, length))
            return o;
    return NULL;
}

static int read_choice(option *o, const char *text)
{
    for (o->choice = 0; o->choices[o->choice]; o->choice++)
        if (!strcmp(o->choices[o->choice], text))
            return 0;
    fprintf(stderr, "%s: '%s' is not allowed (allowed:", o->name,
            shown(text).text);
    for (size_t k = 0; o->choices[k]; k++)
        fprintf(stderr, " %s", o->choices[k]);
    fputs(")\n", stderr);
    return 2;
}

static int read_value(option *o, const char *text)
{
    if (o->type == A_CHOICE)
        return read_choice(o, text);
    if (o->type == A_FILE)
        o->file = text;
    if (o->type == A_SIZE && (!size_from(text, &o->size) || o->size < o->least))
        return refused(2, o->name, "'%s' is not a whole number from %zu to %zu",
                       shown(text).text, o->least, (size_t)SIZE_MAX);
    if (o->type == AN_INTEGER && !integer_from(text, &o->integer))
        return refused(2, o->name,
                       "'%s' is not a whole number (such as -3 or 12)",
                       shown(text).text);
    if (o->type == A_NUMBER && !number_from(text, &o->number))
        return refused(
            2, o->name,
            "'%s' is not a number finite in fp32 (such as 0.125 or -2e-3)",
            shown(text).text);
    return 0;
}

/* If the value is the next argument, increments *at. Returns 0 or 2. */
static int take(option *options, int argc, char **argv, int *at)
{
    const char *equals = strchr(argv[*at], '='), *value = "";
    option *o = named(options, argv[*at]);

    if (!o)
        return refuse_unknown(options, argv[*at]);
    if (o->type == A_FLAG && equals)
        return refused(2, o->name, "takes no value");
    if (equals)
        value = equals + 1;
    else if (o->type != A_FLAG && *at + 1 < argc)
        value = argv[++*at];
    if (o->given && (*value || o->type == A_FLAG))
        return refused(2, o->name, "given twice (once is allowed)");
    o->given = true;
    /* In `--in --out Y.npy` the value of --in is missing. */
    if (o->type != A_FLAG && (!*value || !strncmp(value, "--", 2)))
        return refused(2, o->name, "no value (expected: %s)", o->shown);
    return read_value(o, value);
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

/* --- Outputs -------------------------------------------------------------- */

/* The file of a path: an existing file, or a new file in an existing folder. */
typedef struct {
    bool known; /* the file or the folder exists */
    struct stat at;
    char name[4200]; /* of a new file, or "" */
} place;

static void find(const char *path, place *p)
{
    const char *slash = strrchr(path, '/');

    *p->name = '\0';
    p->known = stat(path, &p->at) == 0;
    if (p->known)
        return;
    snprintf(p->name, sizeof p->name, "%.*s/.", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    p->known = stat(p->name, &p->at) == 0;
    snprintf(p->name, sizeof p->name, "%s", slash ? slash + 1 : path);
}

static bool is_same(const char *path_a, const char *path_b)
{
    place a, b;

    find(path_a, &a);
    find(path_b, &b);
    return a.known && b.known && a.at.st_dev == b.at.st_dev &&
           a.at.st_ino == b.at.st_ino && strcmp(a.name, b.name) == 0;
}

int outputs_check(const option *const files[], size_t inputs, size_t outputs)
{
    for (size_t k = inputs; k < inputs + outputs; k++)
        for (size_t other = 0; other < k; other++)
            if (files[k]->file && files[other]->file &&
                is_same(files[k]->file, files[other]->file))
                return refused(2, files[k]->name,
                               "%s is %s's file (another is needed)",
                               shown(files[k]->file).text, files[other]->name);
    for (size_t k = inputs; k < inputs + outputs; k++)
        if (files[k]->file && npy_write_all(1, &files[k]->file, NULL) != 0)
            return 1;
    return 0;
}

int outputs_write(const option *const files[], const npy_array *const arrays[],
                  size_t n)
{
    const char *paths[FILES_TOGETHER] = {NULL};
    const npy_array *of[FILES_TOGETHER] = {NULL};
    size_t given = 0;

    for (size_t k = 0; k < n; k++)
        if (files[k]->given) {
            paths[given] = files[k]->file;
            of[given++] = arrays[k];
        }
    if (npy_write_all(given, paths, of) != 0)
        return 1;
    for (size_t k = 0; k < given; k++) {
        char shape[NPY_SHAPE_MAX];

        printf("wrote %s %s\n", shown(paths[k]).text,
               npy_shape_text(of[k], shape));
    }
    return 0;
}
