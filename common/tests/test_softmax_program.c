/*
 * The program of chapters 01 to 03 over files: any shape goes through, what
 * cannot is refused with one line, and nothing is written unless all is.
 */
#include "common/judge/reference.h"
#include "common/npy/npy.h"
#include "common/program/softmax_program.h"
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <unistd.h>

/* Two steps of this test's own: it knows no chapter. */
static void oracle(softmax_row *r)
{
    double want[64], L;

    for (size_t i = 0; i < r->n; i++)
        (void)get(r, i);
    reference_softmax(r->x, want, r->n, &L);
    for (size_t i = 0; i < r->n; i++)
        put(r, i, (float)want[i]);
    r->L = (float)L;
}

static void block_everywhere(softmax_row *r)
{
    for (size_t i = 0; i < r->n; i++)
        put(r, i, (float)r->block);
    r->L = 0;
}

static const softmax_step steps[] = {
    {"block_everywhere", FP32, "y = the block's size", block_everywhere},
    {"oracle", FP32, "float64", oracle},
    {0},
};

static int say_lesson(const softmax_step *only, size_t block)
{
    printf("lesson %s %zu\n", only ? only->name : "of all", block);
    return 0;
}

static int say_trace(const softmax_step *only)
{
    printf("trace %s\n", only ? only->name : "of all");
    return 0;
}

static int say_csv(void)
{
    puts("csv");
    return 0;
}

static int program(int argc, char **argv)
{
    static const softmax_chapter chapter = {
        .steps = steps,
        .in_blocks = "block_everywhere",
        .lesson = say_lesson,
        .trace = say_trace,
        .csv = say_csv,
    };

    return softmax_program(&chapter, argc, argv);
}

static void put_array(const char *path, size_t dims, const size_t *shape)
{
    npy_array x;

    assert_int_equal(npy_new(&x, dims, shape), 0);
    for (size_t i = 0; i < x.size; i++)
        x.data[i] = (float)(i * i % 17) / 2;
    assert_int_equal(npy_write(path, &x), 0);
    npy_free(&x);
}

/* Rows of no scores have a logsumexp of -inf. 2^40 of them cannot be counted,
 * and need not be. */
static const struct {
    const char *printed;
    size_t dims, shape[8];
} arrays[] = {
    {"oracle: 1 rows of 5 scores, each read 1 times and written once\ntime ",
     1,
     {5}},
    {"oracle: 1,100 rows of 7 scores, each read 1 times and written once\n",
     3,
     {11, 100, 7}},
    {"\nwrote l (2, 3, 1)\n", 4, {2, 3, 1, 4}},
    {"\nwrote y (1, 2, 1, 2, 1, 2, 1, 2)\n", 8, {1, 2, 1, 2, 1, 2, 1, 2}},
    {"(0, 7) holds no scores, nothing to compute\nwrote y (0, 7)\n"
     "wrote l (0,)\n",
     2,
     {0, 7}},
    {"(2, 0, 7) holds no", 3, {2, 0, 7}},
    {"(0,) holds no scores, nothing to compute\nwrote y (0,)\nwrote l ()\n",
     1,
     {0}},
    {"(2, 3, 0) holds no", 3, {2, 3, 0}},
};

IN_DIRECTORY(softmax_is_over_the_last_axis_of_any_shape)
{
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        size_t dims = arrays[k].dims, n = arrays[k].shape[dims - 1];
        const char *line = "--in x --out y --lse l";
        npy_array x, y, l;
        double want[64], L;

        put_array("x", dims, arrays[k].shape);
        check_commands(program, &(command){line, 0, NULL, arrays[k].printed},
                       1);
        assert_int_equal(
            npy_read("x", &x) || npy_read("y", &y) || npy_read("l", &l), 0);
        assert_true(y.dims == dims && l.dims == dims - 1);
        assert_memory_equal(y.shape, x.shape, sizeof x.shape);
        assert_memory_equal(l.shape, x.shape, l.dims * sizeof *x.shape);
        for (size_t i = 0; i < l.size; i++) {
            reference_softmax(x.data + i * n, want, n, &L);
            assert_all_close(y.data + i * n, want, n, 1e-7);
            assert_close(l.data[i], L, 1e-5);
        }
        npy_free(&x);
        npy_free(&y);
        npy_free(&l);
    }
}

IN_DIRECTORY(the_step_that_is_named_runs_in_blocks)
{
    const command row[] = {
        {"--in x --out y", 0, NULL, "holds no scores, nothing to compute\n"}};
    npy_array y;

    put_array("x", 1, (const size_t[]){2});
    printed_by(program, "--in x --out y --step block_everywhere --block 3");
    assert_int_equal(npy_read("y", &y), 0);
    assert_close(y.data[1], 3, 0);
    npy_free(&y);
    needs_64_bits();
    put_array("x", 4, (const size_t[]){1u << 20, 1u << 20, 1, 0});
    CHECK_COMMANDS(program, row);
}

IN_DIRECTORY(what_cannot_be_read_or_written_is_refused)
{
    const command rows[] = {
        {"--in x --out ./x", 2, "--out", "./x is --in's file"},
        {"--in x --out soft", 2, "--out", "soft is --in's file"},
        {"--in x --out hard", 2, "--out", "hard is --in's file"},
        {"--in x --out y --lse x", 2, "--lse", "x is --in's file"},
        {"--in x --out y --lse ./y", 2, "--lse", "--out's file"},
        {"--in x --out y --lse here/y", 2, "--lse", "--out's file"},
        {"--in x --out y --lse none/l", 1, "none/l", "cannot write"},
        {"--in x --out none/y --lse l", 1, "none/y", "cannot write"},
        {"--in x --out .", 1, ".", "it is not a regular file"},
        {"--in x --out y --lse /dev/full", 1, "/dev/full", "not a regular"},
        {"--in none --out none/y", 1, "none/y", "cannot write"},
        {"--in none --out y", 1, "none", "No such file"},
        {"--in text --out y", 1, "text", ""},
        {"--in number --out y --lse l", 2, "number", "no last axis"},
        {"--in large --out y", 1, "y", "cannot write"}, /* the disk is full */
        {"--in large --out y --lse l", 1, "y", "cannot write"},
    };

    put_array("x", 1, (const size_t[]){4});
    put_array("number", 0, NULL);
    put_array("large", 2, (const size_t[]){64, 64});
    put_file("text", "no array", 8);
    put_file("old", "old", 3);
    assert_true(!symlink("x", "soft") && !link("x", "hard") &&
                !symlink(".", "here"));
    fill_disk(10000);
    CHECK_COMMANDS(program, rows);
    empty_disk();
    check_commands(program, &(command){"--in none --out old", 1, "none", ""},
                   1);
    assert_file_is("old", "old");
}

IN_DIRECTORY(options_that_do_not_fit_are_refused)
{
    const command rows[] = {
        {"--in x", 2, "--out", "is missing"},
        {"--out y", 2, "--in", "is missing"},
        {"--lse l", 2, "--lse", "only with --in"},
        {"--step none", 2, "--step", "block_everywhere oracle"},
        {"--list --csv", 2, "--list", "not together"},
        {"--in x --out y --trace", 2, "--in", "not together"},
        {"--csv --step oracle", 2, "--step", "not together"},
        {"--trace --block 3", 2, "--block", "not together"},
        {"--block 0", 2, "--block", "from 1 to"},
        {"--block 3", 2, "--block", "oracle has no blocks"},
        {"--block 3 --step oracle", 2, "--block", "only block_everywhere has"},
    };

    CHECK_COMMANDS(program, rows);
}

IN_DIRECTORY(each_mode_is_asked_for_with_its_step)
{
    const char *const modes[][2] = {
        {"", "lesson of all 64\n"},
        {"--step oracle", "lesson oracle 64\n"},
        {"--trace", "trace of all\n"},
        {"--trace --step oracle", "trace oracle\n"},
        {"--csv", "csv\n"},
        {"--list", "block_everywhere\tfp32\ty = the block's size\n"
                   "oracle\tfp32\tfloat64\n"},
    };

    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        assert_string_equal(printed_by(program, modes[k][0]), modes[k][1]);
}
