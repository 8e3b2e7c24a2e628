/*
 * Running command lines (command.h).
 */
#include "common/testing/command.h"

#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ARGUMENTS = 63 };

static char *printed;
static char said[1024];
static char words[1024]; /* of the line: what a program read may point there */

/* Of this directory, but for what stdout goes to. */
static size_t files(void)
{
    DIR *here = opendir(".");
    struct dirent *entry;
    size_t n = 0;

    assert_non_null(here);
    while ((entry = readdir(here)))
        n += strcmp(entry->d_name, "printed") != 0;
    closedir(here);
    return n;
}

/* The exit code; printed and said are what came of it. */
static int run(program_fn *program, const char *line)
{
    char *argv[MOST_ARGUMENTS + 1] = {"./run"};
    int argc = 1, status;

    assert_true(strlen(line) < sizeof words);
    strcpy(words, line);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        assert_true(argc < MOST_ARGUMENTS);
        argv[argc++] = strcmp(w, "''") == 0 ? "" : w;
    }
    free(printed);
    hear_stderr();
    hear_stdout();
    status = program(argc, argv);
    printed = heard_stdout();
    heard_stderr(said, sizeof said);
    return status;
}

static void check(program_fn *program, const command *c)
{
    size_t before = files();
    int status = run(program, c->line);

    if (status != c->status)
        fail_msg("./run %s: exit code %d, want %d; it said \"%s\"", c->line,
                 status, c->status, said);
    if (c->name ? !is_line(said, c->name, c->reason) : *said)
        fail_msg("./run %s: want %s%s%s%s, got \"%s\"", c->line,
                 c->name ? "one line \"" : "nothing said",
                 c->name ? c->name : "", c->name ? ": ..." : "",
                 c->name ? c->reason : "", said);
    if (!c->name && c->reason && !strstr(printed, c->reason))
        fail_msg("./run %s: not printed: \"%s\", but\n%s", c->line, c->reason,
                 printed);
    if (status == 2 && *printed)
        fail_msg("./run %s: refused, and yet it printed\n%s", c->line, printed);
    if (status != 0 && files() != before)
        fail_msg("./run %s: failed, and %zu files are there, not %zu", c->line,
                 files(), before);
}

void check_commands(program_fn *program, const command rows[], size_t n)
{
    for (size_t k = 0; k < n; k++)
        check(program, &rows[k]);
}

const char *printed_by(program_fn *program, const char *line)
{
    check(program, &(command){line, 0, NULL, NULL});
    return printed;
}

void assert_80_columns(const char *text)
{
    size_t n;

    for (const char *line = text; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        if (n > 80)
            fail_msg("more than 80 columns: %.*s", (int)n, line);
    }
}
