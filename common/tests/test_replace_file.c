/*
 * Replacing a file: its name holds all of the new content or all of the old,
 * and no other name is left behind.
 */
#include "common/testing/file_check.h"
#include "common/npy/replace_file.h"
#include "common/testing/run_tests.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int replace(const char *path, const char *text)
{
    replacement r;

    if (replace_begin(&r, path) != 0)
        return 1;
    fputs(text, r.file);
    return replace_end(&r);
}

static void assert_refused(const char *path, const char *reason)
{
    hear_stderr();
    int failed = replace(path, "new");
    assert_said_line(path, reason);
    assert_int_equal(failed, 1);
}

static unsigned mode_of(const char *path)
{
    struct stat s;

    assert_int_equal(stat(path, &s), 0);
    return s.st_mode & 07777;
}

static void a_new_file_gets_a_new_files_permissions(void **state)
{
    mode_t old = umask(027);

    (void)state;
    assert_int_equal(replace("y", "new"), 0);
    umask(old);
    assert_file_is("y", "new");
    assert_int_equal(mode_of("y"), 0640);
}

static void an_old_file_keeps_its_permissions(void **state)
{
    (void)state;
    put_file("y", "old", 3);
    assert_int_equal(chmod("y", 0602), 0);
    assert_int_equal(replace("y", "new"), 0);
    assert_file_is("y", "new");
    assert_int_equal(mode_of("y"), 0602);
}

static void the_old_file_stands_until_the_end(void **state)
{
    replacement r;

    (void)state;
    put_file("y", "old", 3);
    assert_int_equal(replace_begin(&r, "y"), 0);
    fputs("new", r.file);
    fflush(r.file);
    assert_file_is("y", "old");
    assert_int_equal(replace_end(&r), 0);
    assert_file_is("y", "new");
}

static void two_writers_of_one_name_do_not_mix(void **state)
{
    replacement a, b;

    (void)state;
    assert_int_equal(replace_begin(&a, "y"), 0);
    assert_int_equal(replace_begin(&b, "y"), 0);
    fputs("from a", a.file);
    fputs("b", b.file);
    assert_int_equal(replace_end(&b), 0);
    assert_file_is("y", "b");
    assert_int_equal(replace_end(&a), 0);
    assert_file_is("y", "from a");
}

static void links_are_followed_and_stay(void **state)
{
    struct stat s;

    (void)state;
    put_file("y", "old", 3);
    assert_int_equal(symlink("y", "link"), 0);
    assert_int_equal(replace("link", "new"), 0);
    assert_file_is("y", "new");
    assert_int_equal(lstat("link", &s), 0);
    assert_true(S_ISLNK(s.st_mode));
}

static void a_link_to_nothing_is_refused(void **state)
{
    (void)state;
    assert_int_equal(symlink("nothing", "link"), 0);
    assert_refused("link", "cannot write: No such file");
}

static void what_is_not_a_regular_file_is_refused(void **state)
{
    (void)state;
    assert_refused(".", "it is a directory");
    assert_refused("/dev/null", "it is not a regular file");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_refused("fifo", "it is not a regular file");
}

static void a_directory_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    assert_refused("none/y", "cannot write: No such file");
    assert_refused("", "cannot write: No such file");
    put_file("y", "old", 3);
    assert_refused("y/z", "cannot write: Not a directory");
}

/* Root may write everywhere. */
static void what_may_not_be_written_is_refused(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip();
    put_file("y", "old", 3);
    assert_int_equal(chmod("y", 0444), 0);
    assert_refused("y", "cannot write: Permission denied");
    assert_file_is("y", "old");
    assert_int_equal(chmod(".", 0500), 0);
    hear_stderr();
    int failed = replace("z", "new");
    assert_int_equal(chmod(".", 0700), 0);
    assert_said_line("z", "cannot write: Permission denied");
    assert_int_equal(failed, 1);
}

static void assert_does_not_fit(const char *text, size_t bytes)
{
    put_file("y", "old", 3);
    hear_stderr();
    fill_disk(bytes);
    int failed = replace("y", text);
    empty_disk();
    assert_said_line("y", "cannot write: File too large");
    assert_int_equal(failed, 1);
    assert_file_is("y", "old");
}

static void a_full_disk_leaves_the_old_file_alone(void **state)
{
    static char text[100000];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    assert_does_not_fit(text, 50000);
}

/* So few bytes stay in the buffer until the file is closed. */
static void a_disk_full_only_at_the_end_is_noticed(void **state)
{
    (void)state;
    assert_does_not_fit("new", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(a_new_file_gets_a_new_files_permissions),
        in_directory(an_old_file_keeps_its_permissions),
        in_directory(the_old_file_stands_until_the_end),
        in_directory(two_writers_of_one_name_do_not_mix),
        in_directory(links_are_followed_and_stay),
        in_directory(a_link_to_nothing_is_refused),
        in_directory(what_is_not_a_regular_file_is_refused),
        in_directory(a_directory_that_does_not_exist_is_refused),
        in_directory(what_may_not_be_written_is_refused),
        in_directory(a_full_disk_leaves_the_old_file_alone),
        in_directory(a_disk_full_only_at_the_end_is_noticed),
    };

    return run_tests("replace_file", tests);
}
