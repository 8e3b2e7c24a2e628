/*
 * Replacing files: a name holds all of the new content or all of the old, files
 * that belong together are all new or all old, and nobody else's is touched. (What
 * a signal or a fault of the system leaves: tools/assurance/faults.sh.)
 */
#include "common/npy/replace_file.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(FILE *file, size_t k, const void *text)
{
    fputs(text, file);
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

static void what_cannot_be_written_leaves_the_old_files(void **state)
{
    static char large[100000];
    const char *const refused[][2] = {
        {".", "cannot write: it is not a regular file"},
        {"/dev/null", "cannot write: it is not a regular file"},
        {"fifo", "cannot write: it is not a regular file"},
        {"link", "cannot write: No such file"},
        {"none/y", "cannot write: No such file"},
        {"", "cannot write: No such file"},
        {"y/z", "cannot write: Not a directory"},
        {"y.0.part", "cannot write: names in .part are for files half"},
        {"z", "cannot write: File too large"}, /* the disk is full */
    };

    memset(large, 'x', sizeof large - 1);
    put_file("y", "old", 3);
    put_file("z", "old", 3);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("nothing", "link"), 0);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        hear();
        fill_disk(50000);
        int failed = write_both("y", refused[k][0], large);
        empty_disk();
        assert_said_line(*refused[k][0] == 'z' ? "y" : refused[k][0],
                         refused[k][1]);
        assert_int_equal(failed, 1);
        assert_both("old", "old");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(a_file_is_new_with_its_links_and_permissions),
        in_directory(no_other_file_is_touched),
        in_directory(what_cannot_be_written_leaves_the_old_files),
    };

    return run_tests("replace_file", tests);
}
