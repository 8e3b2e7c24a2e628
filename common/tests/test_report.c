/*
 * Tables are aligned and fit 80 columns, numbers keep their digits, and a file
 * or pipe gets no escape sequences.
 */
#define _XOPEN_SOURCE 700 /* posix_openpt */

#include "common/testing/file_check.h"
#include "common/print/report.h"
#include "common/testing/run_tests.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* What print writes to stdout, to be freed. */
static char *printed(void (*print)(void))
{
    hear_stdout();
    print();
    return heard_stdout();
}

static void assert_prints(void (*print)(void), const char *want)
{
    char *got = printed(print);

    assert_string_equal(got, want);
    free(got);
}

static void a_table(void)
{
    table t = {0};

    table_row(&t, "step|passes|error|why");
    table_row(&t, "safe_softmax|%d|%s|three", 3, error_text(1.25e-7).text);
    table_row(&t, "online|%d|%s|two", 12, error_text((double)NAN).text);
    table_row(&t, "none||-|");
    table_print(&t);
}

static void numbers_stand_right_and_words_left(void **state)
{
    assert_prints(a_table, "step           passes     error   why\n"
                           "safe_softmax        3   1.2e-07   three\n"
                           "online             12       NaN   two\n"
                           "none                          -\n");
}

static void a_table_of_characters(void)
{
    table t = {0};

    table_row(&t, "a|b");
    table_row(&t, "×−|x");
    table_row(&t, "ab|y");
    table_print(&t);
}

static void width_is_of_characters_not_of_bytes(void **state)
{
    assert_prints(a_table_of_characters, "a    b\n"
                                         "×−   x\n"
                                         "ab   y\n");
}

static void a_wide_table(void)
{
    table t = {0};

    table_row(&t, "%s|%s|%s|%s", "twenty-one characters",
              "twenty-one "
              "characters",
              "twenty-one characters", "fourteen of it");
    table_print(&t);
}

static void the_gap_shrinks_before_a_line_passes_80_columns(void **state)
{
    assert_prints(a_wide_table, "twenty-one characters twenty-one characters "
                                "twenty-one characters fourteen of it\n");
}

static void an_overfull_table(void)
{
    table t = {0};

    table_row(&t, "a|b");
    for (size_t k = 0; k < 1000; k++)
        table_row(&t, "%09zu|%09zu", k, k);
    assert_true(t.used < sizeof(t.text));
    assert_true(t.text[t.used] == '\0' && t.text[t.used - 1] == '\n');
    table_print(&t);
}

static void a_row_too_many_is_left_out_whole(void **state)
{
    char *got = printed(an_overfull_table);

    for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n"))
        assert_int_equal(strlen(line), 21);
    free(got);
}

static void all_that_may_be_styled(void)
{
    heading("Softmax of %d rows", 12);
    a_table();
    next_step("make exercise-%02d", 3);
}

static void a_file_gets_no_escape_sequences(void **state)
{
    char *got = printed(all_that_may_be_styled);

    assert_null(strchr(got, '\033'));
    assert_ptr_equal(strstr(got, "Softmax of 12 rows\n"), got);
    assert_non_null(strstr(got, "\nnext: make exercise-03\n"));
    free(got);
}

/* A stream that leads to a terminal, or NULL where there are none to have. */
static FILE *open_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return NULL;
    return fopen(ptsname(master), "w");
}

static void a_terminal_is_styled_but_not_with_no_color_or_dumb(void **state)
{
    FILE *terminal = open_terminal();

    if (!terminal)
        skip();
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    assert_true(report_styled(terminal));
    setenv("NO_COLOR", "", 1);
    assert_true(report_styled(terminal));
    setenv("NO_COLOR", "1", 1);
    assert_false(report_styled(terminal));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    assert_false(report_styled(terminal));
    fclose(terminal);
}

static void progress_says_nothing_where_nobody_watches(void **state)
{
    hear_stderr();
    progress("%d of 10", 3);
    progress_done();
    assert_said_nothing();
}

static void numbers_are_readable(void **state)
{
    needs_64_bits();
    assert_string_equal(error_text(1.23e-7).text, "1.2e-07");
    assert_string_equal(error_text(0).text, "0");
    assert_string_equal(error_text(-(double)NAN).text, "NaN");
    assert_string_equal(error_text((double)INFINITY).text, "inf");
    assert_string_equal(time_text(0).text, "0.00 ns");
    assert_string_equal(time_text(850e-9).text, "850 ns");
    assert_string_equal(time_text(0.0123456).text, "12.3 ms");
    assert_string_equal(time_text(0.9996).text, "1.00 s");
    assert_string_equal(time_text(9.996e-6).text, "10.0 us");
    assert_string_equal(time_text(1234).text, "1234 s");
    assert_string_equal(rate_text(4.1e9, "B").text, "4.1 GB/s");
    assert_string_equal(rate_text(9.996e14, "FLOP").text, "1000 TFLOP/s");
    assert_string_equal(rate_text(9.996e11, "FLOP").text, "1.0 TFLOP/s");
    assert_string_equal(count_text(0).text, "0");
    assert_string_equal(count_text(999).text, "999");
    assert_string_equal(count_text(1000).text, "1,000");
    assert_string_equal(count_text(16777216).text, "16,777,216");
    assert_string_equal(count_text(SIZE_MAX).text,
                        "18,446,744,073,709,551,615");
}

static void what_could_not_be_printed_fails_the_program(void **state)
{
    int after_success, after_failure;

    hear_stdout();
    hear_stderr();
    fill_disk(0);
    puts("lost");
    after_success = report_end(0);
    empty_disk();
    assert_said_line("stdout", "cannot write: ");
    hear_stderr();
    after_failure = report_end(2);
    assert_said_line("stdout", "cannot write: ");
    clearerr(stdout);
    free(heard_stdout());
    assert_int_equal(after_success, 1);
    assert_int_equal(after_failure, 2);
    assert_int_equal(report_end(0), 0);
    assert_int_equal(report_end(2), 2);
}

static void the_stopwatch_goes_forward(void **state)
{
    double start = stopwatch(), last = start;

    while (last < start + 1e-4) {
        double now = stopwatch();

        assert_true(now >= last);
        last = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(numbers_stand_right_and_words_left),
        in_directory(width_is_of_characters_not_of_bytes),
        in_directory(the_gap_shrinks_before_a_line_passes_80_columns),
        in_directory(a_row_too_many_is_left_out_whole),
        in_directory(a_file_gets_no_escape_sequences),
        cmocka_unit_test(a_terminal_is_styled_but_not_with_no_color_or_dumb),
        cmocka_unit_test(progress_says_nothing_where_nobody_watches),
        cmocka_unit_test(numbers_are_readable),
        in_directory(what_could_not_be_printed_fails_the_program),
        cmocka_unit_test(the_stopwatch_goes_forward),
    };

    return run_tests("report", tests);
}
