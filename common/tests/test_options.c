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

/* What the latest command line was read as. */
static option o[OPTIONS + 1];
static bool go_on;

static int parse(int argc, char **argv)
{
    static const char *const steps[] = {"flash1", "flash2", NULL};
    const option declared[] = {
        [LIST] = FLAG_OPTION("list", "the steps"),
        [IN] = FILE_OPTION("in", "X.npy", "the array"),
        [N] = SIZE_OPTION("n", "N", 2, 64, "queries"),
        [OFFSET] = INTEGER_OPTION("offset", "o", 0, "of the keys"),
        [SCALE] = NUMBER_OPTION("scale", "s", 0.5f, "of scores"),
        [STEP] = CHOICE_OPTION("step", "NAME", steps, 1, "which"),
        [STEPS_AHEAD] = FLAG_OPTION("steps-ahead", "no matter"),
    };
    int status;

    memset(o, 0, sizeof o);
    memcpy(o, declared, sizeof declared);
    go_on =
        options_parse(o, "what it does", "./run --list", argc, argv, &status);
    return status;
}

static const option *take(const char *line)
{
    assert_string_equal(printed_by(parse, line), "");
    assert_true(go_on);
    return o;
}

IN_DIRECTORY(each_type_is_read_or_has_its_default)
{
    take("");
    for (size_t k = 0; k < OPTIONS; k++)
        assert_false(o[k].given);
    assert_true(!o[IN].file && o[N].size == 64 && o[STEP].choice == 1);
    take("--list --in a.npy --n 2 --offset -67 --scale -2.5e-1 --step flash1");
    for (size_t k = 0; k < STEPS_AHEAD; k++)
        assert_true(o[k].given);
    assert_false(o[STEPS_AHEAD].given);
    assert_string_equal(o[IN].file, "a.npy");
    assert_true(o[N].size == 2 && o[OFFSET].integer == -67);
    assert_close(o[SCALE].number, -0.25, 0);
    assert_int_equal(o[STEP].choice, 0);
    take("--in=odd=name --offset=+3");
    assert_string_equal(o[IN].file, "odd=name");
    assert_int_equal(o[OFFSET].integer, 3);
    needs_64_bits();
    assert_true(take("--n 18446744073709551615")[N].size == SIZE_MAX);
    assert_true(take("--offset -9223372036854775808")[OFFSET].integer ==
                INT64_MIN);
}

IN_DIRECTORY(everything_else_is_refused)
{
    static const command refused[] = {
        /* what is a number: test_print.c */
        {"--n -5", 2, "--n", "from 2 to"},
        {"--n 1", 2, "--n", "from 2 to"},
        {"--n 18446744073709551616", 2, "--n", "from 2 to"},
        {"--offset 1.5", 2, "--offset", "-3 or 12"},
        {"--offset 9223372036854775808", 2, "--offset", "-3 or 12"},
        {"--scale 1e39", 2, "--scale", "finite"},
        {"--step flash3", 2, "--step", "'flash3' here (one of: flash1 flash2)"},
        {"--step flash", 2, "--step", "one of: flash1 flash2"},
        /* No abbreviations, not even of --help. */
        {"--blok 3", 2, "--blok", "allowed: --list --in --n"},
        {"-x", 2, "-x", "allowed:"},
        {"--help=3", 2, "--help", "no such"},
        {"--sca 1", 2, "--sca", "no such option"},
        {"--he", 2, "--he", "no such option"},
        {"-h=3", 2, "-h", "no such option (allowed: --"},
        {"--in", 2, "--in", "no value (expected: --in X.npy)"},
        {"--in --n 3", 2, "--in", "no value"},
        {"--in=", 2, "--in", "no value"},
        {"--in ''", 2, "--in", "no value"},
        {"--n", 2, "--n", "no value"},
        {"--n=", 2, "--n", "no value"},
        {"--offset --5", 2, "--offset", "no value"},
        {"--list=yes", 2, "--list", "takes no value"},
        {"--n 3 --n 3", 2, "--n", "twice"},
        {"--list --list", 2, "--list", "twice"},
        {"x.npy", 2, "'x.npy'", "not an option"},
        {"--n 3 x.npy --list", 2, "'x.npy'", "not an option"},
        {"''", 2, "''", "not an option"},
        {"-", 2, "'-'", "not an option"},
        {"-- --list", 2, "'--'", "not an option"},
        {"x\033[2J", 2, "'x\\x1b[2J'", "not an option"},
    };

    CHECK_COMMANDS(parse, refused);
    assert_false(go_on);
}

IN_DIRECTORY(help_shows_every_option_and_the_example)
{
    static const command wanted[] = {
        {"-h", 0, NULL, "what it does\n"},
        {"--in x --help --nonsense", 0, NULL, "what it does\n"},
        {"--help", 0, NULL, "  --list         the steps\n"},
        {"--help", 0, NULL, "  --in X.npy     the array\n"},
        {"--help", 0, NULL,
         "  --step NAME    which\n"
         "                   flash1\n"
         "                   flash2\n"},
        {"--help", 0, NULL,
         "  --help         this text\n\nexample:\n  ./run --list\n"},
    };

    CHECK_COMMANDS(parse, wanted);
    assert_false(go_on);
    assert_80_columns(printed_by(parse, "--help"));
}
