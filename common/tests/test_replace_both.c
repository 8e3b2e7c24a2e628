/*
 * Replacing two files that belong together: both or neither.
 */
#include "common/testing/file_check.h"
#include "common/npy/npy_write.h"
#include "common/program/options.h"
#include "common/program/outputs.h"
#include "common/npy/replace_file.h"
#include "common/testing/run_tests.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ours stand before the C library's: each fails when it is told to. */
static int renames_left = -1, unlinks_left = -1; /* -1: all of them work */

static bool runs_out(int *left)
{
    if (*left < 0)
        return false;
    if (*left > 0) {
        --*left;
        return false;
    }
    *left = -1; /* one failure is enough */
    errno = EIO;
    return true;
}

int rename(const char *from, const char *to)
{
    return runs_out(&renames_left) ? -1
                                   : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlink(const char *path)
{
    return runs_out(&unlinks_left) ? -1 : unlinkat(AT_FDCWD, path, 0);
}

static void both_are_replaced(void **state)
{
    replacement a, b;

    (void)state;
    put_file("b", "old", 3);
    assert_int_equal(replace_begin(&a, "a"), 0);
    assert_int_equal(replace_begin(&b, "b"), 0);
    fputs("new a", a.file);
    fputs("new b", b.file);
    assert_int_equal(replace_end_both(&a, &b), 0);
    assert_file_is("a", "new a");
    assert_file_is("b", "new b");
}

static void assert_neither(const char *text_a, const char *text_b,
                           const char *failing)
{
    replacement a, b;

    put_file("a", "old a", 5);
    put_file("b", "old b", 5);
    assert_int_equal(replace_begin(&a, "a"), 0);
    assert_int_equal(replace_begin(&b, "b"), 0);
    fputs(text_a, a.file);
    fputs(text_b, b.file);
    hear_stderr();
    fill_disk(4);
    int failed = replace_end_both(&a, &b);
    empty_disk();
    assert_said_line(failing, "cannot write: File too large");
    assert_int_equal(failed, 1);
    assert_file_is("a", "old a");
    assert_file_is("b", "old b");
}

static void if_either_does_not_fit_neither_is_replaced(void **state)
{
    (void)state;
    assert_neither("fits", "does not", "b");
    assert_neither("does not", "fits", "a");
}

/* The first to be renamed is a: somebody has put a folder in its place. */
static void if_the_first_cannot_be_renamed_the_second_is_not(void **state)
{
    replacement a, b;

    (void)state;
    put_file("b", "old b", 5);
    assert_int_equal(replace_begin(&a, "a"), 0);
    assert_int_equal(replace_begin(&b, "b"), 0);
    assert_int_equal(mkdir("a", 0700), 0);
    hear_stderr();
    int failed = replace_end_both(&a, &b);
    assert_said_line("a", "cannot write: ");
    assert_int_equal(failed, 1);
    assert_file_is("b", "old b");
    assert_int_equal(rmdir("a"), 0);
}

/* Each in turn: the old pair stays whole, or the line says that it is not. */
static void a_failed_rename_is_told_for_what_it_is(void **state)
{
    (void)state;
    for (int works = 0; works < 2; works++) {
        replacement a, b;

        put_file("a", "old a", 5);
        put_file("b", "old b", 5);
        assert_int_equal(replace_begin(&a, "a"), 0);
        assert_int_equal(replace_begin(&b, "b"), 0);
        fputs("new a", a.file);
        fputs("new b", b.file);
        hear_stderr();
        renames_left = works;
        int failed = replace_end_both(&a, &b);
        assert_said_line(works ? "b" : "a", works ? " error (the other "
                                                    "file is written already)"
                                                  : "cannot write: I");
        assert_int_equal(failed, 1);
        assert_file_is("a", works ? "new a" : "old a");
        assert_file_is("b", "old b");
    }
}

static void a_temporary_file_that_stays_is_told(void **state)
{
    option o[] = {FILE_OPTION("out", "", "")};
    char left[64];

    (void)state;
    o[0].file = "a";
    snprintf(left, sizeof left, "a.%ld.0.part", (long)getpid());
    hear_stderr();
    unlinks_left = 0;
    int status = outputs_check(o, 0, 1);
    assert_said_line(left, "cannot remove: I");
    assert_int_equal(status, 1);
    assert_int_equal(access(left, F_OK), 0);
    assert_int_equal(outputs_check(o, 0, 1), 0); /* and is removed the next */
    assert_int_equal(access(left, F_OK), -1);
}

static void an_array_without_its_second_is_not_written(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 0, NULL), 0);
    hear_stderr();
    int failed = npy_write_both("a", &a, "none/b", &a);
    assert_said_line("none/b", "cannot write: No such file");
    assert_int_equal(failed, 1);
    assert_int_equal(access("a", F_OK), -1);
    assert_int_equal(npy_write_both("a", &a, "b", &a), 0);
    assert_int_equal(access("a", F_OK), 0);
    assert_int_equal(access("b", F_OK), 0);
    npy_free(&a);
}

static void a_cancelled_replacement_leaves_the_old_file(void **state)
{
    replacement r;

    (void)state;
    put_file("a", "old", 3);
    assert_int_equal(replace_begin(&r, "a"), 0);
    fputs("new", r.file);
    assert_int_equal(replace_cancel(&r), 0);
    assert_file_is("a", "old");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(both_are_replaced),
        in_directory(if_either_does_not_fit_neither_is_replaced),
        in_directory(if_the_first_cannot_be_renamed_the_second_is_not),
        in_directory(a_failed_rename_is_told_for_what_it_is),
        in_directory(a_temporary_file_that_stays_is_told),
        in_directory(an_array_without_its_second_is_not_written),
        in_directory(a_cancelled_replacement_leaves_the_old_file),
    };

    return run_tests("replace_both", tests);
}
