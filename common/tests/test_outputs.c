/*
 * What is said about outputs before the work: that one is a file of another
 * entry, by whatever path, or cannot be written.
 */
#include "common/testing/file_check.h"
#include "common/program/options.h"
#include "common/program/outputs.h"
#include "common/testing/run_tests.h"

#include <string.h>
#include <unistd.h>

/* Two that are read and two that are written; NULL: not given. */
static int check(const char *q, const char *k, const char *out, const char *lse)
{
    option files[] = {FILE_OPTION("q", "", ""), FILE_OPTION("k", "", ""),
                      FILE_OPTION("out", "", ""), FILE_OPTION("lse", "", "")};
    const char *const given[] = {q, k, out, lse};

    for (size_t n = 0; n < 4; n++)
        files[n].file = given[n];
    return outputs_check(files, 2, 2);
}

static void assert_refused(int want, const char *q, const char *k,
                           const char *out, const char *lse, const char *name,
                           const char *reason)
{
    hear_stderr();
    int status = check(q, k, out, lse);
    assert_said_line(name, reason);
    assert_int_equal(status, want);
}

static void files_of_their_own_pass(void **state)
{
    put_file("old", "old", 3);
    hear_stderr();
    int status = check("x", "x", "new", "old") + check("x", NULL, "new", NULL) +
                 check("x", "x", NULL, NULL) +
                 check("/new", "none/y", "y", "new");
    assert_said_nothing();
    assert_int_equal(status, 0);
}

static void an_output_is_a_file_of_its_own_that_can_be_written(void **state)
{
    put_file("x", "x", 1);
    assert_refused(2, "x", "y", "x", NULL, "--out", "x is --q's file");
    assert_refused(2, "y", "x", "x", NULL, "--out", "x is --k's file");
    assert_refused(2, "x", "y", "z", "x", "--lse", "x is --q's file");
    assert_refused(2, "y", "none", "none", NULL, "--out", "is --k's file");
    assert_refused(2, "q", "k", "x", "x", "--lse", "x is --out's file");
    assert_refused(2, "q", "k", "new", "new", "--lse", "new is --out's file");
    assert_refused(1, "q", "k", "none/y", NULL, "none/y", "cannot write: No ");
    assert_refused(1, "q", "k", "y", "none/l", "none/l", "cannot write: No ");
    assert_refused(1, "q", "k", ".", NULL, ".", "it is not a regular");
    assert_refused(1, "q", "k", "y", "/dev/full", "/dev/full", "not a regular");
}

static void one_file_is_known_by_all_its_names(void **state)
{
    char folder[4096], path[4200];

    assert_non_null(getcwd(folder, sizeof folder));
    put_file("x", "x", 1);
    assert_int_equal(symlink("x", "soft"), 0);
    assert_int_equal(symlink(folder, "here"), 0);
    assert_int_equal(link("x", "hard"), 0);
    snprintf(path, sizeof path, "%s/x", folder);
    const char *const names[] = {"./x", "soft", "hard", "here/x", path};
    for (size_t k = 0; k < 5; k++)
        assert_refused(2, "x", "y", names[k], NULL, "--out", "is --q's file");
    snprintf(path, sizeof path, "%s/new", folder);
    const char *const new_names[] = {"./new", "here/new", path};
    for (size_t k = 0; k < 3; k++)
        assert_refused(2, "q", "k", "new", new_names[k], "--lse", "--out's");
    assert_refused(2, "/new", "k", "//new", NULL, "--out", "is --q's file");
}

/* Nor is anything else left: leave_directory would see a .part. */
static void looking_changes_nothing(void **state)
{
    put_file("old", "old", 3);
    assert_int_equal(check("x", "k", "old", "new"), 0);
    assert_int_equal(access("new", F_OK), -1);
    assert_file_is("old", "old");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(files_of_their_own_pass),
        in_directory(an_output_is_a_file_of_its_own_that_can_be_written),
        in_directory(one_file_is_known_by_all_its_names),
        in_directory(looking_changes_nothing),
    };

    return run_tests("outputs", tests);
}
