/*
 * Calls of the system that fail where a test cannot bring that about: a disk
 * that cannot be read, a file that shrinks, that may not be written (root may
 * write any), or that another program is about to remove. These functions come
 * before the C library's, as starve.h's do.
 */
#define _GNU_SOURCE

#include "common/npy/npy_write.h"
#include "common/npy/replace_file.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* So many calls succeed, and the next one fails; -1: none does. */
static int reads = -1, seeks = -1, locks = -1, looks = -1;
static bool disk_is_broken; /* else there is nothing more to read */
static int no_lock;         /* why */

static bool fails(int *left)
{
    return *left >= 0 && (*left)-- == 0;
}

size_t fread(void *to, size_t size, size_t n, FILE *file)
{
    size_t (*as_ever)(void *, size_t, size_t, FILE *);

    *(void **)&as_ever = dlsym(RTLD_NEXT, "fread");
    if (!fails(&reads))
        return as_ever(to, size, n, file);
    if (disk_is_broken)
        fputc('x', file); /* an error: the file is open for reading only */
    errno = EIO;
    return 0;
}

int fseek(FILE *file, long to, int from)
{
    int (*as_ever)(FILE *, long, int);

    *(void **)&as_ever = dlsym(RTLD_NEXT, "fseek");
    return fails(&seeks) ? -1 : as_ever(file, to, from);
}

/* Somebody else's lock is there to remove the file, with or without success. */
int flock(int fd, int operation)
{
    int (*as_ever)(int, int);
    char name[80];

    *(void **)&as_ever = dlsym(RTLD_NEXT, "flock");
    if (!fails(&locks))
        return as_ever(fd, operation);
    snprintf(name, sizeof name, "y.%ld.0.part", (long)getpid());
    if (no_lock != ENOLCK)
        unlink(name);
    errno = no_lock;
    return no_lock ? -1 : 0;
}

int access(const char *path, int mode)
{
    int (*as_ever)(const char *, int);

    *(void **)&as_ever = dlsym(RTLD_NEXT, "access");
    if (!fails(&looks))
        return as_ever(path, mode);
    errno = EACCES;
    return -1;
}

/* --- Reading -------------------------------------------------------------- */

static void assert_refused(const char *reason)
{
    npy_array a;

    hear_stderr();
    int failed = npy_read("x.npy", &a);
    assert_said_line("x.npy", reason);
    assert_int_equal(failed, 1);
    assert_null(a.data);
}

static void what_cannot_be_read_is_refused(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 1, (const size_t[]){5}), 0);
    assert_int_equal(npy_write("x.npy", &a), 0);
    npy_free(&a);
    for (int k = 0; k < 2; k++) { /* the header; the numbers */
        disk_is_broken = true;
        reads = k;
        assert_refused(strerror(EIO));
        disk_is_broken = false;
        reads = k;
        assert_refused(k ? "the file shrank" : "not an .npy file");
    }
    seeks = 0;
    assert_refused("the file shrank");
    assert_int_equal(npy_read("x.npy", &a), 0);
    npy_free(&a);
}

/* --- Writing -------------------------------------------------------------- */

static int write_new(void)
{
    replacement r;

    if (replace_begin(&r, "y") != 0)
        return 1;
    fputs("new", r.file);
    return replace_end(&r);
}

static void a_file_that_may_not_be_written_stays(void **state)
{
    (void)state;
    put_file("y", "old", 3);
    looks = 0;
    hear_stderr();
    int failed = write_new();
    assert_said_line("y", strerror(EACCES));
    assert_int_equal(failed, 1);
    assert_file_is("y", "old");
}

/* What is new is written all the same, to the next name if need be. */
static void a_temporary_file_that_another_removes_is_none(void **state)
{
    const int reasons[] = {0, EWOULDBLOCK, ENOLCK};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        put_file("y", "old", 3);
        locks = 0;
        no_lock = reasons[k];
        assert_int_equal(write_new(), 0);
        assert_int_equal(locks, -1);
        assert_file_is("y", "new");
    }
}

/* A link is no leftover of ours, so it stays, and its name is not to be had. */
static void without_a_name_for_it_there_is_no_file(void **state)
{
    char name[80];

    (void)state;
    put_file("y", "old", 3);
    for (int k = 0; k < 100; k++) {
        snprintf(name, sizeof name, "y.%ld.%d.part", (long)getpid(), k);
        assert_int_equal(symlink("y", name), 0);
    }
    hear_stderr();
    int failed = write_new();
    assert_said_line("y", strerror(EEXIST));
    assert_int_equal(failed, 1);
    assert_file_is("y", "old");
    assert_int_equal(unlink(name), 0);
    assert_int_equal(write_new(), 0);
    assert_file_is("y", "new");
    for (int k = 0; k < 99; k++) {
        snprintf(name, sizeof name, "y.%ld.%d.part", (long)getpid(), k);
        assert_int_equal(unlink(name), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(what_cannot_be_read_is_refused),
        in_directory(a_file_that_may_not_be_written_stays),
        in_directory(a_temporary_file_that_another_removes_is_none),
        in_directory(without_a_name_for_it_there_is_no_file),
    };

    return run_tests("refused calls", tests);
}
