/*
 * An unfinished place says where it is, once, and lets the tests go on.
 */
#include "common/testing/expect_failure.h"
#include "common/testing/run_tests.h"
#include "common/testing/todo.h"

#include <string.h>

static void comes_by_twice(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        todo_reached("work/03/merge_parts.c", 17, "rescale the sums");
}

static void it_names_file_line_and_what_is_missing_once(void **state)
{
    const char *line =
        "work/03/merge_parts.c:17: still to be written: rescale the sums\n";
    char output[4096];

    (void)state;
    test_fails(comes_by_twice, NULL, output, sizeof output);
    const char *first = strstr(output, line);
    assert_non_null(first);
    assert_null(strstr(first + 1, line));
}

static void it_does_not_fail_the_test_that_comes_by(void **state)
{
    char output[4096];

    (void)state;
    assert_false(test_fails(comes_by_twice, NULL, output, sizeof output));
}

static void the_macro_knows_where_it_stands(void **state)
{
    (void)state;
    TODO("nothing");
}

static void the_macro_gives_this_file(void **state)
{
    char output[4096];

    (void)state;
    test_fails(the_macro_knows_where_it_stands, NULL, output, sizeof output);
    assert_non_null(strstr(output, "common/testing/test_todo.c:"));
    assert_non_null(strstr(output, ": still to be written: nothing\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_names_file_line_and_what_is_missing_once),
        cmocka_unit_test(it_does_not_fail_the_test_that_comes_by),
        cmocka_unit_test(the_macro_gives_this_file),
    };

    return run_tests("todo", tests);
}
