/*
 * Lines are broken at blanks and stay within 79 columns.
 */
#include "common/testing/file_check.h"
#include "common/print/report.h"
#include "common/testing/run_tests.h"

#include <string.h>

static void assert_prose(const char *text, const char *want)
{
    char *got;

    hear_stdout();
    prose("%s", text);
    got = heard_stdout();
    assert_string_equal(got, want);
    free(got);
}

static void lines_are_broken_at_the_last_blank_that_fits(void **state)
{
    char a[200], b[200];

    memset(a, 'a', 78);
    strcpy(a + 78, " b c d");
    memset(b, 'a', 78);
    strcpy(b + 78, "\nb c d\n");
    assert_prose(a, b);
    memset(a, 'a', 77);
    strcpy(a + 77, " b c d");
    memset(b, 'a', 77);
    strcpy(b + 77, " b\nc d\n");
    assert_prose(a, b);
}

static void blanks_between_words_are_one(void **state)
{
    assert_prose("  a   b ", "a b\n");
    assert_prose("", "\n");
}

static void a_word_too_long_for_a_line_has_its_own(void **state)
{
    char a[200], b[200];

    strcpy(a, "x ");
    memset(a + 2, 'a', 100);
    strcpy(a + 102, " y");
    strcpy(b, "x\n");
    memset(b + 2, 'a', 100);
    strcpy(b + 102, "\ny\n");
    assert_prose(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(lines_are_broken_at_the_last_blank_that_fits),
        in_directory(blanks_between_words_are_one),
        in_directory(a_word_too_long_for_a_line_has_its_own),
    };

    return run_tests("prose", tests);
}
