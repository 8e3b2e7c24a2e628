/*
 * The program of chapters 01 to 03 over files: any shape goes through, what
 * cannot is refused with one line, and nothing is written unless all is.
 */
#include "common/testing/assert_close.h"
#include "common/testing/command.h"
#include "common/testing/file_check.h"
#include "common/npy/npy.h"
#include "common/judge/reference.h"
#include "common/testing/run_tests.h"
#include "common/program/softmax_program.h"

#include <math.h>
#include <string.h>

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

static const softmax_chapter chapter = {
    .about = "about",
    .example = "example",
    .steps = steps,
    .in_blocks = "block_everywhere",
    .lesson = say_lesson,
    .trace = say_trace,
    .csv = say_csv,
};

static int program(int argc, char **argv)
{
    return softmax_program(&chapter, argc, argv);
}

static void prints(const char *line, const char *text)
{
    check_commands(program, &(command){line, 0, NULL, text}, 1);
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

/* Softmax of an array of that shape: every row, every L, both shapes. */
static void check_shape(size_t dims, const size_t *shape)
{
    npy_array x, y, l;
    size_t n = shape[dims - 1];
    double want[64], L;

    put_array("x", dims, shape);
    printed_by(program, "--in x --out y --lse l");
    assert_int_equal(npy_read("x", &x), 0);
    assert_int_equal(npy_read("y", &y), 0);
    assert_int_equal(npy_read("l", &l), 0);
    assert_int_equal(y.dims, dims);
    assert_int_equal(l.dims, dims - 1);
    for (size_t k = 0; k < dims; k++)
        assert_int_equal(y.shape[k], shape[k]);
    for (size_t k = 0; k + 1 < dims; k++)
        assert_int_equal(l.shape[k], shape[k]);
    for (size_t i = 0; i < l.size; i++) {
        reference_softmax(x.data + i * n, want, n, &L);
        assert_all_close(y.data + i * n, want, n, 1e-7);
        assert_close(l.data[i], L, 1e-5);
    }
    npy_free(&x);
    npy_free(&y);
    npy_free(&l);
}

static void softmax_is_over_the_last_axis_of_any_shape(void **state)
{
    check_shape(1, (const size_t[]){5});
    check_shape(2, (const size_t[]){3, 7});
    check_shape(4, (const size_t[]){2, 3, 1, 4});
    check_shape(8, (const size_t[]){1, 2, 1, 2, 1, 2, 1, 2});
}

static void the_rows_and_the_reads_are_counted(void **state)
{
    put_array("x", 3, (const size_t[]){11, 100, 7});
    prints("--in x --out y",
           "oracle: 1,100 rows of 7 scores, each read 1 times and "
           "written once\n");
}

/* In a cache memory is no bound, and a multiple of it would alarm. */
static void memory_sets_a_bound_from_32_MB_on(void **state)
{
    const command rows[] = {
        {"--in x --out y --step block_everywhere", 0, NULL,
         "\nwrote y (1048576, 7)\n"},
        {"--in z --out y --step block_everywhere", 0, NULL,
         "times the bound that memory sets"},
    };
    const char *small;

    put_array("x", 2, (const size_t[]){1u << 20, 7});
    put_array("z", 2, (const size_t[]){1u << 20, 8});
    CHECK_COMMANDS(program, rows);
    small = printed_by(program, rows[0].line);
    assert_null(strstr(small, "bound that memory sets"));
    assert_non_null(strstr(small, "\ntime "));
}

/* Rows of no scores have a logsumexp of -inf. 2^80 of them cannot be counted,
 * and need not be. */
static void where_there_are_no_scores_nothing_is_computed(void **state)
{
    const struct {
        const char *want;
        size_t dims, shape[4];
    } empty[] = {
        {"(0, 7) holds no scores, nothing to compute\nwrote y (0, 7)\n"
         "wrote l (0,)\n",
         2,
         {0, 7}},
        {"(2, 0, 7) holds no", 3, {2, 0, 7}},
        {"(0,) holds no scores, nothing to compute\nwrote y (0,)\n"
         "wrote l ()\n",
         1,
         {0}},
        {"(2, 3, 0) holds no", 3, {2, 3, 0}},
    };

    for (size_t k = 0; k < sizeof empty / sizeof *empty; k++) {
        check_shape(empty[k].dims, empty[k].shape);
        prints("--in x --out y --lse l", empty[k].want);
    }
    needs_64_bits();
    put_array("x", 4, (const size_t[]){1u << 20, 1u << 20, 1, 0});
    prints("--in x --out y",
           "oracle: shape (1048576, 1048576, 1, 0) holds no scores, "
           "nothing to compute\nwrote y (1048576, 1048576, 1, 0)\n");
}

static void what_cannot_be_read_or_written_is_refused(void **state)
{
    const command rows[] = {
        {"--in x --out ./x", 2, "--out", "./x is --in's file"},
        {"--in x --out y --lse x", 2, "--lse", "x is --in's file"},
        {"--in x --out y --lse ./y", 2, "--lse", "--out's file"},
        {"--in x --out y --lse none/l", 1, "none/l", "cannot write"},
        {"--in x --out none/y --lse l", 1, "none/y", "cannot write"},
        /* Outputs are tried before the work. */
        {"--in none --out none/y", 1, "none/y", "cannot write"},
        {"--in none --out y", 1, "none", "No such file"},
        {"--in text --out y", 1, "text", ""},
        {"--in number --out y --lse l", 2, "number", "no last axis"},
    };

    put_array("x", 1, (const size_t[]){4});
    put_array("number", 0, NULL);
    put_file("text", "no array", 8);
    CHECK_COMMANDS(program, rows);
}

static void a_disk_that_is_full_at_the_end_leaves_neither(void **state)
{
    const command rows[] = {{"--in x --out y", 1, "y", "cannot write"},
                            {"--in x --out y --lse l", 1, "y", "cannot write"}};

    put_array("x", 2, (const size_t[]){64, 64});
    fill_disk(10000);
    CHECK_COMMANDS(program, rows);
    empty_disk();
}

static void options_that_do_not_fit_are_refused(void **state)
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

static void the_last_step_runs_unless_another_is_named(void **state)
{
    npy_array y;

    put_array("x", 1, (const size_t[]){2});
    printed_by(program, "--in x --out y --step block_everywhere --block 3");
    assert_int_equal(npy_read("y", &y), 0);
    assert_close(y.data[1], 3, 0);
    npy_free(&y);
    printed_by(program, "--in x --out y"); /* the oracle */
    assert_int_equal(npy_read("y", &y), 0);
    assert_close(y.data[0] + y.data[1], 1, 1e-6);
    npy_free(&y);
}

static void each_mode_is_asked_for_with_its_step(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(softmax_is_over_the_last_axis_of_any_shape),
        in_directory(the_rows_and_the_reads_are_counted),
        in_directory(memory_sets_a_bound_from_32_MB_on),
        in_directory(where_there_are_no_scores_nothing_is_computed),
        in_directory(what_cannot_be_read_or_written_is_refused),
        in_directory(a_disk_that_is_full_at_the_end_leaves_neither),
        in_directory(options_that_do_not_fit_are_refused),
        in_directory(the_last_step_runs_unless_another_is_named),
        in_directory(each_mode_is_asked_for_with_its_step),
    };

    return run_tests("softmax_program", tests);
}
