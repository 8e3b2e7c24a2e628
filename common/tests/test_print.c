/* Tests printed tables and numbers, and how untrusted input is parsed. */
#define _XOPEN_SOURCE 700 /* posix_openpt */

#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The width of a cell is its number of characters, not of bytes. The output is
 * a file, so it has no escape sequences. */
IN_DIRECTORY(numbers_are_right_aligned_and_words_left_aligned)
{
    const char *wide = "twenty-one characters";
    table t = {0}, close = {0}, stacked = {0};

    table_row(&t, "step|passes|error|why");
    table_row(&t, "safe_softmax|%d|%s|three", 3, error_text(1.25e-7).text);
    table_row(&t, "×− of bytes|%d|%s|two", 12, error_text((double)NAN).text);
    table_row(&t, "none||-|");
    table_row(&close, "%s|%s|%s|fourteen of it", wide, wide, wide);
    table_row(&stacked, "%s|%s|%s|fourteen of it.", wide, wide, wide);
    table_row(&stacked, "1|2|3|4");
    begin_capture();
    heading("Softmax of %d rows", 12);
    table_print(&t);
    table_print(&close);
    table_print(&stacked);
    progress("%d of 10", 3); /* prints nothing: stderr is not a terminal */
    progress_done();
    next_step("make exercise-%02d", 3);
    assert_string_equal(end_capture(),
                        "Softmax of 12 rows\n"
                        "step           passes     error   why\n"
                        "safe_softmax        3   1.2e-07   three\n"
                        "×− of bytes        12       NaN   two\n"
                        "none                          -\n"
                        "twenty-one characters twenty-one characters "
                        "twenty-one characters fourteen of it\n"
                        "twenty-one characters\n"
                        "   twenty-one characters   twenty-one characters   "
                        "fourteen of it.\n"
                        "1\n"
                        "                       2                       3   "
                        "              4\n"
                        "next: make exercise-03\n");
}

IN_DIRECTORY(a_row_that_does_not_fit_is_left_out)
{
    table t = {0};

    table_row(&t, "a|b");
    for (size_t k = 0; k < 1000; k++)
        table_row(&t, "%09zu|%09zu", k, k);
    assert_true(t.used < sizeof(t.text));
    begin_capture();
    table_print(&t);
    for (const char *at = end_capture(); *at; at += 22)
        assert_int_equal(strcspn(at, "\n"), 21);
}

TEST(a_terminal_is_styled_but_not_with_no_color_or_dumb)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    FILE *terminal;

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        skip(); /* no pseudo-terminals here */
    terminal = fopen(ptsname(master), "w");
    assert_non_null(terminal);
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "", 1);
    assert_true(report_styled(terminal));
    setenv("NO_COLOR", "1", 1);
    assert_false(report_styled(terminal));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    assert_false(report_styled(terminal));
    fclose(terminal);
}

/* Waits without using the processor. The signal of `progress` may end a sleep. */
static void wait_until(double time)
{
    while (stopwatch() < time)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Runs in a child process: three labels, the second with a share, for a bit more
 * than three seconds in all. Its stderr is the given file. */
static void run_slowly(int stderr_of_child)
{
    size_t done = 0;
    double start;

    dup2(stderr_of_child, STDERR_FILENO);
    alarm(0); /* the test's time limit */
    progress("first");
    start = stopwatch();
    wait_until(start + 0.1);
    progress("second");
    progress_of(&done, 3);
    wait_until(start + 2.6);
    done = 1;
    wait_until(start + 3.6);
    progress("third");
    progress_done();
    _exit(0);
}

/* Returns what run_slowly prints to one end of a terminal or a pipe. */
static const char *progress_to(int end, int other)
{
    static char text[4000];
    size_t n = 0;
    ssize_t got;
    pid_t child = fork();

    if (child == 0)
        run_slowly(end);
    close(end);
    assert_true(child > 0);
    while ((got = read(other, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    close(other);
    waitpid(child, NULL, 0);
    text[n] = '\0';
    return text;
}

TEST(progress_shows_after_two_seconds_on_a_terminal_only)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), terminal, ends[2];
    const char *text;

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        skip(); /* no pseudo-terminals here */
    setenv("TERM", "xterm", 1);
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    text = progress_to(terminal, master);
    assert_null(strstr(text, "first"));
    assert_null(strstr(text, "second, 0 s"));
    assert_non_null(strstr(text, "\r\033[Ksecond, "));
    assert_non_null(strstr(text, "\r\033[Ksecond: 33%"));
    assert_non_null(strstr(text, "\r\033[Kthird, 0 s\r\033[K"));
    assert_string_equal(text + strlen(text) - 4, "\r\033[K");
    assert_int_equal(pipe(ends), 0);
    assert_string_equal(progress_to(ends[1], ends[0]), "");
}

IN_DIRECTORY(report_end_fails_if_stdout_cannot_be_written)
{
    int status;

    begin_capture();
    fill_disk(200);
    printf("%300s\n", "lost");
    status = report_end(0);
    empty_disk();
    assert_error_line("stdout", "cannot write: ");
    assert_int_equal(status, 1);
    assert_int_equal(report_end(2), 2);
    clearerr(stdout);
    assert_int_equal(report_end(0), 0);
}

TEST(numbers_are_readable)
{
    needs_64_bits();
    const struct {
        words got;
        const char *want;
    } numbers[] = {
        {error_text(1.23e-7), "1.2e-07"},
        {error_text(0), "0"},
        {error_text(-(double)NAN), "NaN"},
        {error_text((double)INFINITY), "inf"},
        {time_text(0), "0.00 ns"},
        {time_text(0.0123456), "12.3 ms"},
        {time_text(0.9996), "1.00 s"},
        {time_text(9.994e-6), "9.99 us"},
        {time_text(9.996e-6), "10.0 us"},
        {time_text(1234), "1234 s"},
        {count_text(0), "0"},
        {count_text(999), "999"},
        {count_text(1000), "1,000"},
        {count_text(16777216), "16,777,216"},
        {count_text(SIZE_MAX), "18,446,744,073,709,551,615"},
    };

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        assert_string_equal(numbers[k].got.text, numbers[k].want);
}

/* Texts and their values. `is` is the sum of the types that accept the text: 1
 * for a size, 2 for an integer, 4 for a number. */
static const struct {
    const char *text;
    int is;
    double value;
} texts[] = {
    {"0", 1 | 2 | 4, 0}, {"0012", 1 | 2 | 4, 12},
    {"-3", 2 | 4, -3},   {"+3", 2 | 4, 3},
    {"0.125", 4, 0.125}, {".5", 4, 0.5},
    {"1e39", 0, 0},      {"-1e999", 0, 0},
    {"0x10", 0, 0},      {" 3", 0, 0},
    {"3 ", 0, 0},        {"", 0, 0},
    {"-", 0, 0},         {"3-", 0, 0},
    {".", 0, 0},         {"1e", 0, 0},
    {"1,5", 0, 0},       {"12k", 0, 0},
    {"nan", 0, 0},       {"99999999999999999999", 4, 1e20},
};

TEST(the_whole_text_must_be_a_number)
{
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const char *text = texts[k].text;
        size_t size = 7;
        long integer = 7;
        float number = 7;
        int is = size_from(text, &size) | integer_from(text, &integer) << 1 |
                 number_from(text, &number) << 2;

        if (is != texts[k].is)
            fail_msg("'%s' is of kind %d, not %d", text, is, texts[k].is);
        assert_close((double)size, is & 1 ? texts[k].value : 7, 0);
        assert_close((double)integer, is & 2 ? texts[k].value : 7, 0);
        assert_close(number, is & 4 ? (double)(float)texts[k].value : 7, 0);
    }
}

TEST(control_characters_are_shown_as_numbers)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"a b=c~\\.npy", "a b=c~\\.npy"},
        {"\x1b[2J\n\r\x7f.", "\\x1b[2J\\x0a\\x0d\\x7f."},
        {"z\xc3\xbcrich \xe2\x82\xac \xc3\x9f",
         "z\xc3\xbcrich \xe2\x82\xac \xc3\x9f"},
        {"\xc2\x9b 31m \x9b", "\xc2\\x9b 31m \\x9b"},
    };
    char text[1001] = "";

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        assert_string_equal(shown(pairs[k][0]).text, pairs[k][1]);
    for (size_t n = 1; n <= 1000; n++)
        for (size_t width = 1; width <= 4; width += 3) { /* a, \x1b */
            bool fits = n * width <= SHOWN_MAX;

            memset(text, width == 1 ? 'a' : '\x1b', n);
            assert_int_equal(strlen(shown(text).text),
                             fits ? n * width : SHOWN_MAX + 3);
        }
}

IN_DIRECTORY(an_unknown_word_is_refused)
{
    static const char *const known[] = {"quick", "lazy", NULL};
    char *argv[] = {"program", "lazy", "more"};

    assert_int_equal(word_given(1, argv, known), 2);
    assert_int_equal(word_given(2, argv, known), 1);
    begin_capture();
    int refused = word_given(3, argv, known);
    assert_error_line("'more'", "(allowed: one of quick lazy, or none)");
    assert_int_equal(refused, -1);
    argv[1] = "la\n";
    begin_capture();
    refused = word_given(2, argv, known);
    assert_error_line("'la\\x0a'", "unknown argument");
    assert_int_equal(refused, -1);
}
