/*
 * Replacing files: a name holds all of the new content or all of the old,
 * whoever writes it at the same time and whatever ends the program; files that
 * belong together are all new or all old; and nobody else's is removed.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include "common/npy/replace_file.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Calls that fail, or are interrupted ----------------------------------- */

/* Ours stand before the C library's. So many succeed, then one fails. */
static int syncs_left = -1, renames_left = -1, unlinks_left = -1;

enum { OPENING, WRITING, RENAMING, MOMENTS };
static int comes, moment; /* a signal, at that moment */

/* It sleeps a little, so that another thread takes the signal if it can. */
static void at(int now)
{
    if (comes && now == moment) {
        kill(getpid(), comes);
        usleep(5000);
    }
}

static int fails(int *left)
{
    errno = EIO;
    return (*left)-- == 0;
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*as_ever)(const char *, const char *), *file;

    *(void **)&as_ever = dlsym(RTLD_NEXT, "fopen");
    file = as_ever(path, mode);
    at(OPENING);
    return file;
}

/* What is still in the buffer cannot be made safe. */
int fsync(int fd)
{
    struct stat s;

    return fails(&syncs_left) || fstat(fd, &s) != 0 || s.st_size == 0 ? -1 : 0;
}

/* In the middle of what a signal has removed, another signal comes. */
int unlink(const char *path)
{
    int failed = fails(&unlinks_left) ? -1 : unlinkat(AT_FDCWD, path, 0);

    if (comes) {
        raise(comes == SIGHUP ? SIGINT : SIGHUP);
        usleep(10000);
    }
    return failed;
}

int rename(const char *from, const char *to)
{
    int failed =
        fails(&renames_left) ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);

    at(RENAMING);
    return failed;
}

/* The same text to two files. */
static int write_both(const char *a, const char *b, const char *text)
{
    replacement r[2];

    if (replace_begin(&r[0], a) != 0)
        return 1;
    if (replace_begin(&r[1], b) != 0)
        return replace_end(r, 1, 1);
    fputs(text, r[0].file);
    fputs(text, r[1].file);
    at(WRITING);
    return replace_end(r, 2, 0);
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

/* --- One writer ------------------------------------------------------------ */

static void a_file_is_new_with_its_links_and_permissions(void **state)
{
    mode_t umask_was = umask(027);
    struct stat s;
    replacement r;

    assert_int_equal(write_both("y", "z", "new"), 0);
    umask(umask_was);
    assert_both("new", "new");
    assert_true(stat("y", &s) == 0 && (s.st_mode & 07777) == 0640);
    assert_int_equal(chmod("y", 0602), 0);
    assert_int_equal(symlink("y", "link"), 0);
    assert_int_equal(replace_begin(&r, "link"), 0);
    fputs("newer", r.file);
    fflush(r.file);
    assert_file_is("y", "new");
    assert_int_equal(replace_end(&r, 1, 0), 0);
    assert_file_is("y", "newer");
    assert_true(stat("y", &s) == 0 && (s.st_mode & 07777) == 0602);
    assert_true(lstat("link", &s) == 0 && S_ISLNK(s.st_mode));
}

/* Whatever it is called: some may be inputs, or somebody's. */
static void no_other_file_is_touched(void **state)
{
    const char *const names[] = {"y.0.part", "y.1.part", "y.7.0.part"};
    replacement r;

    for (size_t k = 0; k < 3; k++)
        put_file(names[k], "mine", 4);
    assert_int_equal(write_both("y", "z", "new"), 0);
    assert_int_equal(replace_begin(&r, "y"), 0);
    assert_int_equal(access("y.2.part", F_OK), 0);
    assert_int_equal(replace_end(&r, 1, 7), 7); /* what has failed goes */
    assert_file_is("y", "new");
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
    replacement r;

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
    assert_int_equal(replace_begin(&r, "x"), 0);
    unlinks_left = 0;
    hear_stderr();
    replace_end(&r, 1, 1);
    assert_said_line("x.0.part", "cannot remove: Input/output error");
    assert_int_equal(remove("x.0.part"), 0);
}

/* --- Many writers, and signals --------------------------------------------- */

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

/* 1000 times a, 2000 times b ... */
static void write_letters(int k)
{
    char text[8001] = "";

    memset(text, 'a' + k, 1000 * ((size_t)k + 1));
    for (int n = 0; n < 40; n++)
        if (write_both("y", "z", text) != 0)
            _exit(1);
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

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

/* With a second thread, the signal is that one's. */
static void write_and_be_interrupted(int threads)
{
    pthread_t other;
    sigset_t all;

    /* nohup(1), or a shell's &, may have had some of them ignored. */
    signal(comes, threads == 0 ? SIG_IGN : SIG_DFL);
    if (threads == 2) {
        pthread_create(&other, NULL, wait_for_ever, NULL);
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    }
    write_both("y", "z", "new");
    if (threads > 0)
        wait_for_ever(NULL);
}

static void a_signal_leaves_both_new_or_both_old_and_nothing_else(void **state)
{
    const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                          SIGTERM, SIGXCPU, SIGXFSZ};

    for (int k = 0; k < 21; k++) {
        int number = deadly[k % 7], threads = k / 3 % 3;
        size_t n;

        old_files();
        comes = number;
        moment = k % MOMENTS;
        int status = status_of(in_child(write_and_be_interrupted, threads));
        comes = 0;
        assert_int_equal(status, threads ? 128 + number : 0);
        char *y = (char *)get_file("y", &n);
        assert_file_is("z", y);
        if (threads < 2)
            assert_string_equal(y, threads == 0 || moment == RENAMING ? "new"
                                                                      : "old");
        free(y);
        assert_int_equal(access("y.0.part", F_OK), -1);
        assert_int_equal(access("z.0.part", F_OK), -1);
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
