/*
 * The program of chapters 01 to 03 over files: any shape goes through, what
 * cannot is refused with one line, and nothing is written unless all is.
 */
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/npy/npy.h"
#include "common/judge/reference.h"
#include "common/testing/run_tests.h"
#include "common/program/softmax_program.h"

#include <math.h>
#include <string.h>
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

static const softmax_chapter chapter = {
    .about = "about",
    .example = "example",
    .steps = steps,
    .in_blocks = "block_everywhere",
    .lesson = say_lesson,
    .trace = say_trace,
    .csv = say_csv,
};

/* The program with these arguments; what it prints goes to `printed`. */
static char *printed;

static int run(const char *line)
{
    char words[256];
    char *argv[16] = {"./run"};
    int argc = 1, status;

    snprintf(words, sizeof(words), "%s", line);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    free(printed);
    hear_stdout();
    status = softmax_program(&chapter, argc, argv);
    printed = heard_stdout();
    return status;
}

static void assert_printed(const char *line, const char *want)
{
    assert_int_equal(run(line), 0);
    assert_string_equal(printed, want);
}

/* With an array that has no scores, of this shape; L: its logsumexps'. */
static void assert_nothing_to_compute(const char *shape, const char *L)
{
    char want[200];

    snprintf(want, sizeof(want),
             "oracle: shape %s holds no scores, nothing to compute\n"
             "wrote y %s\nwrote l %s\n",
             shape, shape, L);
    assert_printed("--in x --out y --lse l", want);
    *strstr(want, "wrote l") = '\0';
    assert_printed("--in x --out y", want);
}

static void assert_refused(const char *line, const char *name,
                           const char *reason, int status)
{
    hear_stderr();
    int got = run(line);
    assert_said_line(name, reason);
    assert_int_equal(got, status);
    assert_int_equal(access("y", F_OK), -1);
    assert_int_equal(access("l", F_OK), -1);
}

static npy_array put_array(const char *path, size_t dims, const size_t *shape)
{
    npy_array x;

    assert_int_equal(npy_new(&x, dims, shape), 0);
    for (size_t i = 0; i < x.size; i++)
        x.data[i] = (float)(i * i % 17) / 2;
    assert_int_equal(npy_write(path, &x), 0);
    return x;
}

/* Softmax of an array of that shape: every row, every L, both shapes. */
static void check_shape(size_t dims, const size_t *shape)
{
    npy_array x = put_array("x", dims, shape), y, l;
    size_t n = shape[dims - 1];
    double want[64], L;

    assert_int_equal(run("--in x --out y --lse l"), 0);
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

static void the_rows_and_the_reads_are_counted(void **state)
{
    const char *want =
        "oracle: 1,100 rows of 7 scores, each read 1 times and written once\n";
    npy_array x = put_array("x", 3, (const size_t[]){11, 100, 7});

    assert_int_equal(run("--in x --out y"), 0);
    assert_int_equal(strncmp(printed, want, strlen(want)), 0);
    npy_free(&x);
}

/* In a cache memory is no bound, and a multiple of it would alarm. */
static void memory_sets_a_bound_from_32_MB_on(void **state)
{
    const char *bound = "times the bound that memory sets";
    npy_array small = put_array("x", 2, (const size_t[]){1u << 20, 7});
    npy_array large = put_array("z", 2, (const size_t[]){1u << 20, 8});

    assert_int_equal(run("--in x --out y --step block_everywhere"), 0);
    assert_null(strstr(printed, bound));
    assert_non_null(strstr(printed, "\ntime "));
    assert_non_null(strstr(printed, "\nwrote y (1048576, 7)\n"));
    assert_int_equal(run("--in z --out y --step block_everywhere"), 0);
    assert_non_null(strstr(printed, bound));
    npy_free(&small);
    npy_free(&large);
}

static void softmax_is_over_the_last_axis_of_any_shape(void **state)
{
    check_shape(1, (const size_t[]){5});
    check_shape(2, (const size_t[]){3, 7});
    check_shape(4, (const size_t[]){2, 3, 1, 4});
    check_shape(8, (const size_t[]){1, 2, 1, 2, 1, 2, 1, 2});
}

static void an_array_of_no_rows_gives_one_of_no_rows(void **state)
{
    check_shape(2, (const size_t[]){0, 7});
    assert_nothing_to_compute("(0, 7)", "(0,)");
    check_shape(3, (const size_t[]){2, 0, 7});
}

static void rows_of_no_scores_have_a_logsumexp_of_minus_infinity(void **state)
{
    npy_array l;

    check_shape(1, (const size_t[]){0});
    assert_nothing_to_compute("(0,)", "()");
    check_shape(3, (const size_t[]){2, 3, 0});
    assert_int_equal(npy_read("l", &l), 0);
    assert_int_equal(l.size, 6);
    for (size_t i = 0; i < l.size; i++)
        assert_close(l.data[i], -(double)INFINITY, 0);
    npy_free(&l);
}

/* 2^80 rows of no scores cannot be counted, and need not be. */
static void rows_of_no_scores_take_no_time(void **state)
{
    npy_array x;

    needs_64_bits();
    x = put_array("x", 4, (const size_t[]){1u << 20, 1u << 20, 1, 0});
    assert_printed("--in x --out y", "oracle: shape (1048576, 1048576, 1, 0) "
                                     "holds no scores, nothing to compute\n"
                                     "wrote y (1048576, 1048576, 1, 0)\n");
    npy_free(&x);
}

static void an_output_in_the_place_of_another_file_is_refused(void **state)
{
    npy_array x = put_array("x", 1, (const size_t[]){4});

    assert_refused("--in x --out ./x", "--out", "./x is --in's file", 2);
    assert_refused("--in x --out y --lse x", "--lse", "x is --in's file", 2);
    assert_refused("--in x --out y --lse ./y", "--lse", "--out's file", 2);
    npy_free(&x);
}

static void a_single_number_has_no_last_axis(void **state)
{
    npy_array x = put_array("x", 0, NULL);

    assert_refused("--in x --out y --lse l", "x", "no last axis", 2);
    npy_free(&x);
}

static void if_either_file_cannot_be_written_neither_is(void **state)
{
    npy_array x = put_array("x", 1, (const size_t[]){4});

    assert_refused("--in x --out y --lse none/l", "none/l", "cannot write", 1);
    assert_refused("--in x --out none/y --lse l", "none/y", "cannot write", 1);
    npy_free(&x);
}

static void a_disk_that_is_full_at_the_end_leaves_neither(void **state)
{
    npy_array x = put_array("x", 2, (const size_t[]){64, 64});

    fill_disk(10000);
    assert_refused("--in x --out y", "y", "cannot write", 1);
    assert_refused("--in x --out y --lse l", "y", "cannot write", 1);
    empty_disk();
    npy_free(&x);
}

/* An input that cannot be read shows which is looked at first. */
static void outputs_are_tried_before_the_work(void **state)
{
    assert_refused("--in none --out none/y", "none/y", "cannot write", 1);
}

static void what_cannot_be_read_is_refused(void **state)
{
    put_file("x", "no array", 8);
    assert_refused("--in x --out y", "x", "", 1);
    assert_refused("--in none --out y", "none", "No such file", 1);
}

static void options_that_do_not_fit_are_refused(void **state)
{
    assert_refused("--in x", "--out", "is missing", 2);
    assert_refused("--out y", "--in", "is missing", 2);
    assert_refused("--lse l", "--lse", "only with --in", 2);
    assert_refused("--step none", "--step", "block_everywhere oracle", 2);
    assert_refused("--list --csv", "--list", "not together", 2);
    assert_refused("--in x --out y --trace", "--in", "not together", 2);
    assert_refused("--csv --step oracle", "--step", "not together", 2);
    assert_refused("--trace --block 3", "--block", "not together", 2);
    assert_refused("--block 0", "--block", "from 1 to", 2);
    assert_refused("--block 3", "--block", "oracle has no blocks", 2);
    assert_refused("--block 3 --step oracle", "--block",
                   "only block_everywhere has", 2);
}

static void the_last_step_runs_unless_another_is_named(void **state)
{
    npy_array x = put_array("x", 1, (const size_t[]){2}), y;

    assert_int_equal(run("--in x --out y --step block_everywhere --block 3"),
                     0);
    assert_int_equal(npy_read("y", &y), 0);
    assert_close(y.data[1], 3, 0);
    npy_free(&y);
    assert_int_equal(run("--in x --out y"), 0); /* the oracle */
    assert_int_equal(npy_read("y", &y), 0);
    assert_close(y.data[0] + y.data[1], 1, 1e-6);
    npy_free(&x);
    npy_free(&y);
}

static void each_mode_is_asked_for_with_its_step(void **state)
{
    assert_printed("", "lesson of all 64\n");
    assert_printed("--step oracle", "lesson oracle 64\n");
    assert_printed("--trace", "trace of all\n");
    assert_printed("--trace --step oracle", "trace oracle\n");
    assert_printed("--csv", "csv\n");
    assert_printed("--list", "block_everywhere\tfp32\ty = the block's size\n"
                             "oracle\tfp32\tfloat64\n");
}

static void a_chapter_of_too_many_steps_is_refused(void **state)
{
    enum { ROOM = 16 };
    static softmax_step many[ROOM + 2];
    softmax_chapter longer = chapter;
    char *argv[] = {"./run", "--csv", NULL};

    longer.steps = many;
    for (size_t k = 0; k < ROOM; k++)
        many[k] = steps[0];
    assert_int_equal(softmax_program(&longer, 2, argv), 0);
    many[ROOM] = steps[0];
    hear_stderr();
    assert_int_equal(softmax_program(&longer, 2, argv), 1);
    assert_said_line("softmax_program", "more than 16 steps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(softmax_is_over_the_last_axis_of_any_shape),
        in_directory(the_rows_and_the_reads_are_counted),
        in_directory(memory_sets_a_bound_from_32_MB_on),
        in_directory(an_array_of_no_rows_gives_one_of_no_rows),
        in_directory(rows_of_no_scores_have_a_logsumexp_of_minus_infinity),
        in_directory(rows_of_no_scores_take_no_time),
        in_directory(an_output_in_the_place_of_another_file_is_refused),
        in_directory(a_single_number_has_no_last_axis),
        in_directory(if_either_file_cannot_be_written_neither_is),
        in_directory(a_disk_that_is_full_at_the_end_leaves_neither),
        in_directory(outputs_are_tried_before_the_work),
        in_directory(what_cannot_be_read_is_refused),
        in_directory(options_that_do_not_fit_are_refused),
        in_directory(the_last_step_runs_unless_another_is_named),
        in_directory(each_mode_is_asked_for_with_its_step),
        cmocka_unit_test(a_chapter_of_too_many_steps_is_refused),
    };

    return run_tests("softmax_program", tests);
}
