/*
 * The command line: what is taken, and that everything else is refused with
 * one line that names the option and exit code 2.
 */
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/program/options.h"
#include "common/testing/run_tests.h"

#include <string.h>

enum { LIST, IN, N, OFFSET, SCALE, STEP, STEPS_AHEAD, OPTIONS };

static const char *const steps[] = {"flash1", "flash2", NULL};

typedef struct {
    option o[OPTIONS + 1];
    bool go_on;
    int status;
} parsed;

/* The arguments as a shell would cut them: at each blank; '' is empty. */
static parsed parse(const char *line)
{
    static char words[512];
    char *argv[32] = {"./run"};
    int argc = 1;
    parsed p = {.o = {
                    [LIST] = FLAG_OPTION("list", "the steps"),
                    [IN] = FILE_OPTION("in", "X.npy", "the array"),
                    [N] = SIZE_OPTION("n", "N", 2, 64, "queries"),
                    [OFFSET] = INTEGER_OPTION("offset", "o", 0, "of the keys"),
                    [SCALE] = NUMBER_OPTION("scale", "s", 0.5f, "of scores"),
                    [STEP] = CHOICE_OPTION("step", "NAME", steps, 1, "which"),
                    [STEPS_AHEAD] = FLAG_OPTION("steps-ahead", "no matter"),
                }};

    snprintf(words, sizeof(words), "%s", line);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        argv[argc++] = strcmp(w, "''") == 0 ? "" : w;
    p.go_on = options_parse(p.o, "what it does", "./run --list", argc, argv,
                            &p.status);
    return p;
}

static void assert_refused(const char *line, const char *name,
                           const char *reason)
{
    hear_stderr();
    parsed p = parse(line);
    assert_said_line(name, reason);
    assert_false(p.go_on);
    assert_int_equal(p.status, 2);
}

static parsed assert_taken(const char *line)
{
    hear_stderr();
    parsed p = parse(line);
    assert_said_nothing();
    assert_true(p.go_on);
    assert_int_equal(p.status, 0);
    return p;
}

static void without_options_all_have_their_defaults(void **state)
{
    parsed p = assert_taken("");

    for (size_t k = 0; k < OPTIONS; k++)
        assert_false(p.o[k].given);
    assert_null(p.o[IN].file);
    assert_int_equal(p.o[N].size, 64);
    assert_int_equal(p.o[STEP].choice, 1);
    assert_close(p.o[SCALE].number, 0.5, 0);
}

static void each_type_is_read(void **state)
{
    parsed p = assert_taken("--list --in a.npy --n 4096 --offset -67 "
                            "--scale -2.5e-1 --step flash1");

    for (size_t k = 0; k < STEPS_AHEAD; k++)
        assert_true(p.o[k].given);
    assert_false(p.o[STEPS_AHEAD].given);
    assert_string_equal(p.o[IN].file, "a.npy");
    assert_int_equal(p.o[N].size, 4096);
    assert_int_equal(p.o[OFFSET].integer, -67);
    assert_close(p.o[SCALE].number, -0.25, 0);
    assert_int_equal(p.o[STEP].choice, 0);
}

static void a_value_may_follow_an_equals_sign(void **state)
{
    parsed p = assert_taken("--n=7 --in=odd=name --offset=+3");

    assert_int_equal(p.o[N].size, 7);
    assert_string_equal(p.o[IN].file, "odd=name");
    assert_int_equal(p.o[OFFSET].integer, 3);
}

static void the_ends_of_each_range_are_taken(void **state)
{
    needs_64_bits();
    assert_int_equal(assert_taken("--n 2").o[N].size, 2);
    assert_true(assert_taken("--n 18446744073709551615").o[N].size == SIZE_MAX);
    assert_true(
        assert_taken("--offset -9223372036854775808").o[OFFSET].integer ==
        INT64_MIN);
    assert_close(assert_taken("--scale 3.4e38").o[SCALE].number, 3.4e38, 2e31);
    assert_close(assert_taken("--scale 1e-45").o[SCALE].number, 1.4e-45, 1e-46);
}

static void a_malformed_size_is_refused(void **state)
{
    static const char *const bad[] = {
        "--n -5",  "--n +5",  "--n 0x10", "--n 1",
        "--n 5.0", "--n 5k",  "--n 1e3",  "--n 18446744073709551616",
        "--n=\t5", "--n=5\t", "--n=",     "--n 99999999999999999999999",
        "--n=5\n",
    };

    for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
        assert_refused(bad[k], "--n", k == 10 ? "no value" : "from 2 to");
}

static void a_malformed_integer_is_refused(void **state)
{
    static const char *const bad[] = {"--offset --5", "--offset 1.5",
                                      "--offset 9223372036854775808",
                                      "--offset +", "--offset 0x1"};

    for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
        assert_refused(bad[k], "--offset", k == 0 ? "no value" : "-3 or 12");
}

static void a_number_that_is_not_finite_is_refused(void **state)
{
    static const char *const bad[] = {
        "--scale nan",  "--scale inf",   "--scale -infinity", "--scale 1e39",
        "--scale 0x1p", "--scale 1.5x",  "--scale 1,5",       "--scale=\t1",
        "--scale .",    "--scale 1e999", "--scale 0x10",      "--scale e",
    };

    for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
        assert_refused(bad[k], "--scale", "finite");
}

static void an_unknown_choice_names_those_there_are(void **state)
{
    assert_refused("--step flash3", "--step",
                   "flash3' here (one of: flash1 "
                   "flash2)");
    assert_refused("--step flash", "--step", "one of: flash1 flash2");
}

static void an_unknown_option_names_those_there_are(void **state)
{
    assert_refused("--blok 3", "--blok", "allowed: --list --in --n");
    assert_refused("--blok=3", "--blok", "allowed:");
    assert_refused("-x", "-x", "allowed:");
    assert_refused("-n 3", "-n", "allowed:");
    assert_refused("--help=3", "--help", "no such");
}

static void an_abbreviation_is_refused(void **state)
{
    assert_refused("--sca 1", "--sca", "no such option");
    assert_refused("--st flash1", "--st", "no such option");
    assert_refused("--li", "--li", "no such option");
    assert_refused("--he", "--he", "no such option");
    assert_int_equal(assert_taken("--step flash1").o[STEP].choice, 0);
}

static void a_forgotten_value_is_no_value(void **state)
{
    assert_refused("--in", "--in", "no value (expected: --in X.npy)");
    assert_refused("--in --n 3", "--in", "no value");
    assert_refused("--in=", "--in", "no value");
    assert_refused("--in ''", "--in", "no value");
    assert_refused("--n", "--n", "no value");
    assert_refused("--list=yes", "--list", "takes no value");
}

static void an_option_given_twice_is_refused(void **state)
{
    assert_refused("--n 3 --n 3", "--n", "twice");
    assert_refused("--list --list", "--list", "twice");
}

static void a_stray_argument_is_refused(void **state)
{
    assert_refused("x.npy", "'x.npy'", "not an option");
    assert_refused("--n 3 x.npy --list", "'x.npy'", "not an option");
    assert_refused("''", "''", "not an option");
    assert_refused("-", "'-'", "not an option");
    assert_refused("-- --list", "'--'", "not an option");
    assert_refused("x\033[2J", "'x\\x1b[2J'", "not an option");
}

/* -heads is no way to say -h. */
static void only_minus_h_is_minus_h(void **state)
{
    static const char *const not_help[] = {"-heads", "-hh", "-h=3", "-help"};

    for (size_t k = 0; k < 4; k++)
        assert_refused(not_help[k],
                       (const char *const[]){"-heads", "-hh", "-h", "-help"}[k],
                       "no such option (allowed: --");
    hear_stdout();
    parsed p = parse("-h");
    char *text = heard_stdout();

    assert_false(p.go_on);
    assert_int_equal(p.status, 0);
    assert_non_null(strstr(text, "what it does\n"));
    free(text);
}

static void of_options_that_exclude_each_other_one_may_be_given(void **state)
{
    parsed none = parse(""), one = parse("--n 5"), two = parse("--n 5 --list");

    assert_int_equal(options_exclude(none.o, LIST, N), 0);
    assert_int_equal(options_exclude(one.o, LIST, N), 0);
    hear_stderr();
    int refused = options_exclude(two.o, LIST, N);
    assert_said_line("--list", "not together with --n");
    assert_int_equal(refused, 2);
}

static void help_shows_every_option_and_the_example(void **state)
{
    static const char *const wanted[] = {
        "what it does\n", "  --list ",         "  --in X.npy ", "  --n N ",
        "  --offset o ",  "  --step NAME ",    "flash1\n",      "flash2\n",
        "  --help ",      "\n  ./run --list\n"};

    hear_stdout();
    parsed p = parse("--in x --help --nonsense");
    char *text = heard_stdout();

    assert_false(p.go_on);
    assert_int_equal(p.status, 0);
    for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++)
        if (!strstr(text, wanted[k]))
            fail_msg("--help lacks '%s':\n%s", wanted[k], text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 80);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_options_all_have_their_defaults),
        cmocka_unit_test(each_type_is_read),
        cmocka_unit_test(a_value_may_follow_an_equals_sign),
        cmocka_unit_test(the_ends_of_each_range_are_taken),
        cmocka_unit_test(a_malformed_size_is_refused),
        cmocka_unit_test(a_malformed_integer_is_refused),
        cmocka_unit_test(a_number_that_is_not_finite_is_refused),
        cmocka_unit_test(an_unknown_choice_names_those_there_are),
        cmocka_unit_test(an_unknown_option_names_those_there_are),
        cmocka_unit_test(an_abbreviation_is_refused),
        cmocka_unit_test(a_forgotten_value_is_no_value),
        cmocka_unit_test(an_option_given_twice_is_refused),
        cmocka_unit_test(a_stray_argument_is_refused),
        cmocka_unit_test(of_options_that_exclude_each_other_one_may_be_given),
        in_directory(only_minus_h_is_minus_h),
        in_directory(help_shows_every_option_and_the_example),
    };

    return run_tests("options", tests);
}
