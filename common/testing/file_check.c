/*
 * Files, messages and command lines in tests (file_check.h).
 */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */

#include "common/testing/file_check.h"

#include "common/testing/run_tests.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- Files ---------------------------------------------------------------- */

static char home[4096], directory[4096];

int enter_empty_directory(void **state)
{
    const char *parent = getenv("TMPDIR");

    snprintf(directory, sizeof(directory), "%s/flash-test-XXXXXX",
             parent && *parent ? parent : "/tmp");
    return !getcwd(home, sizeof(home)) || !mkdtemp(directory) ||
           chdir(directory) != 0;
}

int leave_directory(void **state)
{
    DIR *d = opendir(".");
    struct dirent *entry;
    int left_over = 0;

    while (d && (entry = readdir(d))) {
        size_t n = strlen(entry->d_name);

        if (n > 5 && strcmp(entry->d_name + n - 5, ".part") == 0)
            left_over = 1;
        if (entry->d_name[0] != '.')
            unlink(entry->d_name);
    }
    if (d)
        closedir(d);
    return chdir(home) != 0 || rmdir(directory) != 0 || left_over;
}

void put_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* All of it and a \0, to be freed; closes it. */
static char *all_of(FILE *file, size_t *n)
{
    long length;
    char *bytes;

    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    length = ftell(file);
    assert_true(length >= 0);
    *n = (size_t)length;
    bytes = malloc(*n + 1);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *n, file), *n);
    bytes[*n] = '\0';
    fclose(file);
    return bytes;
}

unsigned char *get_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    return (unsigned char *)all_of(file, n);
}

void assert_file_is(const char *path, const char *text)
{
    size_t n;
    unsigned char *bytes = get_file(path, &n);

    assert_string_equal((char *)bytes, text);
    assert_int_equal(n, strlen(text));
    free(bytes);
}

static struct rlimit real_disk;

void fill_disk(size_t bytes)
{
    struct rlimit full;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &real_disk), 0);
    full = (struct rlimit){bytes, real_disk.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
}

void empty_disk(void)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &real_disk), 0);
    signal(SIGXFSZ, SIG_DFL);
}

/* --- What is printed and said ---------------------------------------------- */

typedef struct {
    FILE *file;
    int real; /* what the stream leads to otherwise */
    char *text;
} caught;

static caught printed, said;

static void begin(caught *c, FILE *stream)
{
    fflush(stream);
    c->file = tmpfile();
    c->real = dup(fileno(stream));
    assert_true(c->file && dup2(fileno(c->file), fileno(stream)) >= 0);
}

static void end(caught *c, FILE *stream)
{
    size_t n;

    fflush(stream);
    dup2(c->real, fileno(stream));
    close(c->real);
    free(c->text);
    c->text = all_of(c->file, &n);
}

void hear(void)
{
    begin(&printed, stdout);
    begin(&said, stderr);
}

const char *heard(void)
{
    end(&said, stderr);
    end(&printed, stdout);
    return printed.text;
}

void assert_said_nothing(void)
{
    heard();
    assert_string_equal(said.text, "");
}

static bool is_said(const char *name, const char *reason)
{
    size_t n = strlen(name);
    const char *end = strchr(said.text, '\n');

    return strncmp(said.text, name, n) == 0 &&
           strncmp(said.text + n, ": ", 2) == 0 &&
           strstr(said.text + n, reason) && end && !end[1];
}

void assert_said_line(const char *name, const char *reason)
{
    heard();
    if (!is_said(name, reason))
        fail_msg("want one line \"%s: ...%s...\", got \"%s\"", name, reason,
                 said.text);
}

/* --- Command lines --------------------------------------------------------- */

static size_t files(void)
{
    DIR *here = opendir(".");
    size_t n = 0;

    assert_non_null(here);
    while (readdir(here))
        n++;
    closedir(here);
    return n;
}

static int run(program_fn *program, const char *line)
{
    enum { MOST_ARGUMENTS = 63 };
    static char words[1024]; /* what a program read may point there */
    char *argv[MOST_ARGUMENTS + 1] = {"./run"};
    int argc = 1, status;

    assert_true(strlen(line) < sizeof words);
    strcpy(words, line);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        assert_true(argc < MOST_ARGUMENTS);
        argv[argc++] = strcmp(w, "''") == 0 ? "" : w;
    }
    hear();
    status = program(argc, argv);
    heard();
    return status;
}

static void check(program_fn *program, const command *c)
{
    size_t before = files();
    int status = run(program, c->line);

    if (status != c->status)
        fail_msg("./run %s: exit code %d, want %d; it said \"%s\"", c->line,
                 status, c->status, said.text);
    if (c->name ? !is_said(c->name, c->reason) : *said.text)
        fail_msg("./run %s: want %s%s%s%s, got \"%s\"", c->line,
                 c->name ? "one line \"" : "nothing said",
                 c->name ? c->name : "", c->name ? ": ..." : "",
                 c->name ? c->reason : "", said.text);
    if (!c->name && c->reason && !strstr(printed.text, c->reason))
        fail_msg("./run %s: not printed: \"%s\", but\n%s", c->line, c->reason,
                 printed.text);
    if (status == 2 && *printed.text)
        fail_msg("./run %s: refused, and yet it printed\n%s", c->line,
                 printed.text);
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
    return printed.text;
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
