/*
 * Numbers as they may be typed, and text as a terminal may get it.
 */
#include "common/print/outside.h"

#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <string.h>

/* Which of size 1, integer 2 and number 4 a text is, and its value. */
static const struct {
    const char *text;
    int is;
    double value;
} texts[] = {
    {"0", 1 | 2 | 4, 0},
    {"0012", 1 | 2 | 4, 12},
    {"-3", 2 | 4, -3},
    {"+3", 2 | 4, 3},
    {"0.125", 4, 0.125},
    {"-2e-3", 4, -2e-3},
    {".5", 4, 0.5},
    {"1e39", 0, 0},
    {"-1e999", 0, 0},
    {"0x10", 0, 0},
    {"0x1p3", 0, 0},
    {" 3", 0, 0},
    {"3 ", 0, 0},
    {"\t3", 0, 0},
    {"3\n", 0, 0},
    {"", 0, 0},
    {"-", 0, 0},
    {"--3", 0, 0},
    {"3-", 0, 0},
    {".", 0, 0},
    {"e", 0, 0},
    {"1e", 0, 0},
    {"1,5", 0, 0},
    {"12k", 0, 0},
    {"nan", 0, 0},
    {"inf", 0, 0},
    {"99999999999999999999", 4, 1e20},
    {"-99999999999999999999", 4, -1e20},
};

static void a_number_is_the_whole_text_and_nothing_else(void **state)
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

static void what_could_upset_a_terminal_is_shown_as_a_number(void **state)
{
    assert_string_equal(shown("").text, "");
    assert_string_equal(shown("a b=c~\\.npy").text, "a b=c~\\.npy");
    assert_string_equal(shown("\x1b[2J\n\r\x7f.").text,
                        "\\x1b[2J\\x0a\\x0d\\x7f.");
    /* UTF-8 stays, but for control characters: two bytes, or one. */
    assert_string_equal(shown("z\xc3\xbcrich \xe2\x82\xac \xc3\x9f").text,
                        "z\xc3\xbcrich \xe2\x82\xac \xc3\x9f");
    assert_string_equal(shown("\xc2\x9b"
                              "31m \x9b")
                            .text,
                        "\xc2\\x9b31m \\x9b");
}

static void what_is_long_is_cut_off(void **state)
{
    char text[5001];

    for (size_t n = 190; n <= 5000; n += n < 210 ? 1 : 479) {
        for (int escape = 0; escape < 2; escape++) {
            char c = escape ? '\x1b' : 'a';
            size_t width = escape ? 4 : 1;

            memset(text, c, n);
            text[n] = '\0';
            if (n * width <= SHOWN_MAX)
                assert_int_equal(strlen(shown(text).text), n * width);
            else {
                assert_int_equal(strlen(shown(text).text), SHOWN_MAX + 3);
                assert_string_equal(shown(text).text + SHOWN_MAX, "...");
            }
        }
    }
}

static void a_word_is_one_of_those_or_refused(void **state)
{
    static const char *const words[] = {"quick", "lazy", NULL};
    char *argv[] = {"program", "lazy", "more"};

    hear_stderr();
    assert_int_equal(word_given(1, argv, words), 2);
    assert_int_equal(word_given(2, argv, words), 1);
    assert_said_nothing();
    hear_stderr();
    assert_int_equal(word_given(3, argv, words), -1);
    assert_said_line("'more'", "one of: quick lazy, or none)");
    argv[1] = "la\n";
    hear_stderr();
    assert_int_equal(word_given(2, argv, words), -1);
    assert_said_line("'la\\x0a'", "not an argument here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_the_whole_text_and_nothing_else),
        cmocka_unit_test(what_could_upset_a_terminal_is_shown_as_a_number),
        cmocka_unit_test(what_is_long_is_cut_off),
        in_directory(a_word_is_one_of_those_or_refused),
    };

    return run_tests("outside", tests);
}
