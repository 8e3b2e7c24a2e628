/*
 * Replacing files: a name holds all of the new content or all of the old,
 * whoever writes it at the same time and whatever ends the program; files that
 * belong together are all new or all old; and nobody else's is removed.
 */
#include "common/npy/replace_file.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ours stand before the C library's. So many succeed, then one fails. */
static int syncs_left = -1, renames_left = -1, unlinks_left = -1;

enum { WRITING, RENAMING };
static int comes, moment; /* a signal, at that moment */

static void at(int now)
{
    if (comes && now == moment)
        kill(getpid(), comes);
}

static int fails(int *left)
{
    errno = EIO;
    return (*left)-- == 0;
}

/* What is still in the buffer cannot be made safe. */
int fsync(int fd)
{
    struct stat s;

    return fails(&syncs_left) || fstat(fd, &s) != 0 || s.st_size == 0 ? -1 : 0;
}

int unlink(const char *path)
{
    return fails(&unlinks_left) ? -1 : unlinkat(AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to)
{
    int failed =
        fails(&renames_left) ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);

    at(RENAMING);
    return failed;
}

static void put(FILE *file, size_t k, const void *text)
{
    fputs(text, file);
    at(WRITING);
}

/* The same text to two files. */
static int write_both(const char *a, const char *b, const char *text)
{
    return replace_files(2, (const char *const[]){a, b}, put, text);
}

static void assert_both(const char *y, const char *z)
{
    assert_file_is("y", y);
    assert_file_is("z", z);
}

static void old_files(void)
{
    put_file("y", "old", 3);
    put_file("z", "old", 3);
}

static void a_file_is_new_with_its_links_and_permissions(void **state)
{
    mode_t umask_was = umask(027);
    struct stat s;

    assert_int_equal(write_both("y", "z", "new"), 0);
    umask(umask_was);
    assert_both("new", "new");
    assert_true(stat("y", &s) == 0 && (s.st_mode & 07777) == 0640);
    assert_int_equal(chmod("y", 0602), 0);
    assert_int_equal(symlink("y", "link"), 0);
    assert_int_equal(write_both("link", "z", "newer"), 0);
    assert_both("newer", "newer");
    assert_true(stat("y", &s) == 0 && (s.st_mode & 07777) == 0602);
    assert_true(lstat("link", &s) == 0 && S_ISLNK(s.st_mode));
}

/* Whatever it is called: some may be inputs, or somebody's. */
static void no_other_file_is_touched(void **state)
{
    const char *const names[] = {"y.0.part", "y.1.part", "z.0.part"};

    for (size_t k = 0; k < 3; k++)
        put_file(names[k], "mine", 4);
    assert_int_equal(write_both("y", "z", "new"), 0);
    assert_int_equal(
        replace_files(2, (const char *const[]){"y", "x"}, NULL, NULL),
        0); /* only tried */
    assert_both("new", "new");
    assert_int_equal(access("x", F_OK), -1);
    for (size_t k = 0; k < 3; k++) {
        assert_file_is(names[k], "mine");
        assert_int_equal(remove(names[k]), 0);
    }
}

static void assert_fails(const char *b, const char *text, const char *path,
                         const char *reason)
{
    hear_stderr();
    int failed = write_both("y", b, text);
    assert_said_line(path, reason);
    assert_int_equal(failed, 1);
}

static void what_cannot_be_written_is_refused(void **state)
{
    old_files();
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("nothing", "link"), 0);
    const char *const refused[][2] = {
        {".", "cannot write: it is not a regular file"},
        {"/dev/null", "cannot write: it is not a regular file"},
        {"fifo", "cannot write: it is not a regular file"},
        {"link", "cannot write: No such file"},
        {"none/y", "cannot write: No such file"},
        {"", "cannot write: No such file"},
        {"y/z", "cannot write: Not a directory"},
        {"y.0.part", "cannot write: names in .part are for files half"},
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        assert_fails(refused[k][0], "new", refused[k][0], refused[k][1]);
    assert_both("old", "old");
    assert_int_equal(chmod("z", 0444), 0);
    if (geteuid() != 0) /* root may write everywhere */
        assert_fails("z", "new", "z", "cannot write: Permission denied");
}

/* Each in turn: all is old, or the line says what is not. */
static void what_fails_at_the_end_leaves_the_old_files(void **state)
{
    static char large[100000];

    old_files();
    memset(large, 'x', sizeof large - 1);
    fill_disk(2);
    assert_fails("z", "new", "y", "cannot write: File too large");
    empty_disk();
    fill_disk(50000);
    assert_fails("z", large, "y", "cannot write: File too large");
    empty_disk();
    for (int k = 0; k < 2; k++) {
        syncs_left = k;
        assert_fails("z", "new", k ? "z" : "y", "cannot write: Input/output");
    }
    renames_left = 0;
    assert_fails("z", "new", "y", "cannot write: Input/output error\n");
    assert_both("old", "old");
    renames_left = 1;
    assert_fails("z", "new", "z", " error (the file before it is new already)");
    assert_both("new", "old");
    assert_int_equal(remove("y"), 0);
    unlinks_left = 0;
    hear_stderr();
    replace_files(1, (const char *const[]){"y"}, NULL, NULL);
    assert_said_line("y.0.part", "cannot remove: Input/output error");
    assert_int_equal(remove("y.0.part"), 0);
}

/* 1000 times a, 2000 times b ... */
static void write_letters(int k)
{
    char text[8001] = "";

    memset(text, 'a' + k, 1000 * ((size_t)k + 1));
    for (int n = 0; n < 40; n++)
        if (write_both("y", "z", text) != 0)
            _exit(1);
}

static void write_and_be_interrupted(int ignored)
{
    /* nohup(1), or a shell's &, may have had some of them ignored. */
    signal(comes, ignored ? SIG_IGN : SIG_DFL);
    write_both("y", "z", "new");
}

static pid_t in_child(void (*work)(int), int argument)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    alarm(20);
    work(argument);
    _exit(0);
}

/* Its status, as a shell tells it. */
static int status_of(pid_t child)
{
    int status;

    assert_true(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void eight_writers_at_once_all_succeed(void **state)
{
    pid_t child[8];

    for (int k = 0; k < 8; k++)
        child[k] = in_child(write_letters, k);
    for (int k = 0; k < 8; k++) {
        size_t n;

        assert_int_equal(status_of(child[k]), 0);
        char *text = (char *)get_file(k % 2 ? "z" : "y", &n), first = *text;
        assert_int_equal(n, 1000 * (first - 'a' + 1));
        assert_int_equal(strspn(text, (char[]){first, '\0'}), n);
        free(text);
    }
}

static void a_signal_leaves_both_new_or_both_old_and_nothing_else(void **state)
{
    const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                          SIGTERM, SIGXCPU, SIGXFSZ};

    for (int k = 0; k < 28; k++) {
        int ignored = k / 7 % 2;

        old_files();
        comes = deadly[k % 7];
        moment = k / 14;
        assert_int_equal(status_of(in_child(write_and_be_interrupted, ignored)),
                         ignored ? 0 : 128 + comes);
        comes = 0;
        if (ignored || moment == RENAMING)
            assert_both("new", "new");
        else
            assert_both("old", "old");
        assert_int_equal(access("y.0.part", F_OK), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(a_file_is_new_with_its_links_and_permissions),
        in_directory(no_other_file_is_touched),
        in_directory(what_cannot_be_written_is_refused),
        in_directory(what_fails_at_the_end_leaves_the_old_files),
        in_directory(eight_writers_at_once_all_succeed),
        in_directory(a_signal_leaves_both_new_or_both_old_and_nothing_else),
    };

    return run_tests("replace_file", tests);
}
