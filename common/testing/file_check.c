/*
 * Files and messages in tests (file_check.h).
 */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */

#include "common/testing/file_check.h"

#include "common/testing/run_tests.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char home[4096], directory[4096];
static int heard, real_stdout, real_stderr; /* file descriptors */

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

unsigned char *get_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;
    long length;

    assert_non_null(file);
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

void hear_stdout(void)
{
    fflush(stdout);
    real_stdout = dup(STDOUT_FILENO);
    assert_non_null(freopen("printed", "w", stdout));
}

char *heard_stdout(void)
{
    size_t n;

    fflush(stdout);
    dup2(real_stdout, STDOUT_FILENO);
    close(real_stdout);
    return (char *)get_file("printed", &n);
}

/* A message fits in a pipe's buffer, so nobody has to read meanwhile. */
void hear_stderr(void)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    heard = ends[0];
    real_stderr = dup(STDERR_FILENO);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[1]);
}

void heard_stderr(char said[], size_t capacity)
{
    size_t n = 0;
    ssize_t more;

    dup2(real_stderr, STDERR_FILENO); /* closes the pipe's other end */
    close(real_stderr);
    while (n + 1 < capacity &&
           (more = read(heard, said + n, capacity - 1 - n)) > 0)
        n += (size_t)more;
    said[n] = '\0';
    close(heard);
}

void assert_said_nothing(void)
{
    char said[1024];

    heard_stderr(said, sizeof(said));
    assert_string_equal(said, "");
}

bool is_line(const char *said, const char *name, const char *reason)
{
    size_t n = strlen(name), length = strlen(said);

    return strncmp(said, name, n) == 0 && strncmp(said + n, ": ", 2) == 0 &&
           strstr(said, reason) && strchr(said, '\n') == said + length - 1;
}

void assert_said_line(const char *name, const char *reason)
{
    char said[1024];

    heard_stderr(said, sizeof(said));
    if (!is_line(said, name, reason))
        fail_msg("want one line \"%s: ...%s...\", got \"%s\"", name, reason,
                 said);
}
