/* Checks files, messages and command lines in tests (file_check.h). */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */

#include "common/testing/file_check.h"

#include "common/npy/npy.h"
#include "common/testing/run_tests.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* Returns the contents and a final \0, and closes the file. */
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

void put_numbers(const char *path, const char *shape, const float *numbers)
{
    size_t sizes[8], dims = 0;
    npy_array a;

    for (char *next = (char *)shape; *next; next += *next == 'x')
        sizes[dims++] = strtoul(next, &next, 10);
    assert_int_equal(npy_new(&a, dims, sizes), 0);
    for (size_t i = 0; i < a.size; i++)
        a.data[i] = numbers ? numbers[i] : (float)(i * 7 % 16) / 8 - 1;
    assert_int_equal(npy_write(path, &a), 0);
    npy_free(&a);
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

typedef struct {
    FILE *file;
    int real; /* the stream's usual file descriptor */
    char *text;
} capture;

static capture out, err;

static void begin(capture *c, FILE *stream)
{
    fflush(stream);
    c->file = tmpfile();
    c->real = dup(fileno(stream));
    assert_true(c->file && dup2(fileno(c->file), fileno(stream)) >= 0);
}

static void end(capture *c, FILE *stream)
{
    size_t n;

    fflush(stream);
    dup2(c->real, fileno(stream));
    close(c->real);
    free(c->text);
    c->text = all_of(c->file, &n);
}

void begin_capture(void)
{
    begin(&out, stdout);
    begin(&err, stderr);
}

const char *end_capture(void)
{
    end(&err, stderr);
    end(&out, stdout);
    return out.text;
}

void assert_no_error_line(void)
{
    end_capture();
    assert_string_equal(err.text, "");
}

/* True if stderr is one line that begins with the part of `want` before "..."
 * and contains the part after "...". */
static bool is_line(const char *want)
{
    const char *gap = strstr(want, "..."), *end = strchr(err.text, '\n');
    size_t n = gap ? (size_t)(gap - want) : strlen(want);

    return strncmp(err.text, want, n) == 0 && end && !end[1] &&
           (!gap || strstr(err.text + n, gap + 3));
}

void assert_error_line(const char *name, const char *reason)
{
    char want[300];

    end_capture();
    snprintf(want, sizeof want, "%s: ...%s", name, reason);
    if (!is_line(want))
        fail_msg("want one line \"%s\", got \"%s\"", want, err.text);
}

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
    static char words[1024]; /* static: programs keep pointers to arguments */
    char *argv[MOST_ARGUMENTS + 1] = {"./run"};
    int argc = 1, status;

    assert_true(strlen(line) < sizeof words);
    strcpy(words, line);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        assert_true(argc < MOST_ARGUMENTS);
        argv[argc++] = strcmp(w, "''") == 0 ? "" : w;
    }
    begin_capture();
    status = program(argc, argv);
    end_capture();
    return status;
}

/* Returns the number of lines "wrote FILE (" on stdout. Fails the test if one
 * of these files does not exist. */
static size_t files_written(const char *line)
{
    const char *at = out.text;
    char path[100];
    size_t n = 0;

    for (; (at = strstr(at, "\nwrote ")); at++, n++)
        if (sscanf(at, " wrote %99s (", path) != 1 || access(path, F_OK) != 0)
            fail_msg("%s: did not write %s", line, path);
    return n;
}

static void assert_80_columns(const char *text)
{
    size_t n;

    for (const char *line = text; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        if (n > 80 && memchr(line, ' ', n) && !memchr(line, '\t', n))
            fail_msg("more than 80 columns: %.*s", (int)n, line);
    }
}

/* Fails the test unless "next: " and the lines after it are commands, one in each
 * line, and nothing follows a command. */
static void assert_commands(const char *text)
{
    for (const char *at = strstr(text, "\nnext: "); at && at[1];
         at = strchr(at + 1, '\n')) {
        bool is_command = strncmp(at, "\nnext: ", 7) == 0 ||
                          strncmp(at, "\nthen: ", 7) == 0 ||
                          strncmp(at, "\n  or: ", 7) == 0;

        if (!is_command || strcspn(at + 7, ",;:(") < strcspn(at + 7, "\n"))
            fail_msg("not only a command: %s", at + 1);
    }
}

static void check(program_fn *program, const command *c)
{
    size_t before = files(), after, most;
    int status = run(program, c->line);
    bool as_error = c->error ? is_line(c->error) : !*err.text;
    bool as_printed = c->printed ? strstr(out.text, c->printed) != NULL
                                 : !c->error || !*out.text;

    after = files();
    most = before + (status == 0 ? files_written(c->line) : 0);
    if (status != c->status || !as_error || !as_printed || after < before ||
        after > most)
        fail_msg("%s: want exit code %d, stderr \"%s\", stdout \"%s\";\n"
                 "got %d, %zu new files, \"%s\",\n%s",
                 c->line, c->status, c->error ? c->error : "",
                 c->printed ? c->printed : "", status, after - before, err.text,
                 out.text);
    assert_80_columns(out.text);
    assert_commands(out.text);
}

void check_commands(program_fn *program, const command rows[], size_t n)
{
    for (size_t k = 0; k < n; k++)
        check(program, &rows[k]);
}

const char *printed_by(program_fn *program, const char *line)
{
    if (run(program, line) != 0 || *err.text)
        fail_msg("%s: failed: %s", line, err.text);
    assert_80_columns(out.text);
    assert_commands(out.text);
    return out.text;
}

const char *printed_or_refused(program_fn *program, const char *line,
                               const char *error)
{
    run(program, line);
    if (*err.text == '\0')
        return out.text;
    if (!is_line(error))
        fail_msg("%s: want stderr \"%s\", got \"%s\"", line, error, err.text);
    return NULL;
}
