/*
 * `./run --backward` of chapters 05 and 06: gradients of files are right by any
 * step, what does not fit is refused in one line, and what is printed is what
 * was counted.
 */
#include "05_flash1/backward/program.h"
#include "05_flash1/backward/steps.h"
#include "06_flash2/backward/program.h"
#include "06_flash2/backward/steps.h"
#include "common/judge/backward_measure.h"
#include "common/program/attention_program.h"
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <string.h>

enum { MOST_ARGUMENTS = 40 };

/* Runs "--backward ..." of a chapter; its exit code. What it prints on stdout
 * is left in *text, to be freed, if text is not NULL. */
static int run(const way *chapter, const char *line, char **text)
{
    char copy[400], *argv[MOST_ARGUMENTS + 1] = {(char *)"./run"}, *printed;
    int argc = 1, status;

    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        assert_true(argc < MOST_ARGUMENTS);
        argv[argc++] = word;
    }
    hear_stdout();
    status = attention_program(NULL, chapter, argc, argv);
    printed = heard_stdout();
    if (text)
        *text = printed;
    else
        free(printed);
    return status;
}

/* Writes q.npy, k.npy, v.npy and do.npy of a random layer, in the directory of
 * the test. */
static void write_layer(random_sizes sizes)
{
    backward_layer b = {.forward = {.Q_name = ""}};

    assert_int_equal(arrays_random(&b.forward, &sizes), 0);
    assert_int_equal(backward_arrays(&b, NULL), 0);
    assert_int_equal(npy_write("q.npy", &b.forward.Q), 0);
    assert_int_equal(npy_write("k.npy", &b.forward.K), 0);
    assert_int_equal(npy_write("v.npy", &b.forward.V), 0);
    assert_int_equal(npy_write("do.npy", &b.dO), 0);
    backward_free(&b);
}

static const random_sizes grouped = {2, 4, 2, 13, 21, 6, 4, 5};

#define FILES   "--backward --q q.npy --k k.npy --v v.npy --grad-out do.npy"
#define OUTPUTS " --grad-q dq.npy --grad-k dk.npy --grad-v dv.npy"

/* --- Files ---------------------------------------------------------------- */

/* Reads back what was written, and compares it with float64. */
static void check_files(float softcap, bool causal, long offset)
{
    backward_layer b = {.forward = {.Q_name = ""}};
    gradient_truth truth;
    gradient_errors e;
    head *h = &b.forward.problem.each;

    assert_int_equal(arrays_read(&b.forward, "q.npy", "k.npy", "v.npy"), 0);
    assert_int_equal(backward_arrays(&b, "do.npy"), 0);
    h->softcap = softcap;
    h->causal = causal;
    h->offset = offset;
    npy_free(&b.dQ);
    npy_free(&b.dK);
    npy_free(&b.dV);
    assert_int_equal(npy_read("dq.npy", &b.dQ), 0);
    assert_int_equal(npy_read("dk.npy", &b.dK), 0);
    assert_int_equal(npy_read("dv.npy", &b.dV), 0);
    assert_int_equal(gradient_truth_of(&b, &truth), 0);
    assert_int_equal(truth.heads, heads_of(&b.forward.problem));
    e = gradient_errors_of(&b, &truth);
    assert_close(e.dQ, 0, 3e-6);
    assert_close(e.dK, 0, 3e-6);
    assert_close(e.dV, 0, 3e-6);
    gradient_truth_free(&truth);
    backward_free(&b);
}

static void check_all_steps(const way *chapter, const backward_step *s)
{
    for (; s->name; s++) {
        char line[300];

        snprintf(line, sizeof line, FILES OUTPUTS " --step %s", s->name);
        assert_int_equal(run(chapter, line, NULL), 0);
        check_files(0, false, 0);
        snprintf(line, sizeof line,
                 FILES OUTPUTS " --step %s --causal --softcap 2", s->name);
        assert_int_equal(run(chapter, line, NULL), 0);
        check_files(2, true, 21 - 13);
        snprintf(line, sizeof line,
                 FILES OUTPUTS " --step %s --causal-offset -3", s->name);
        assert_int_equal(run(chapter, line, NULL), 0);
        check_files(0, true, -3);
    }
}

static void gradients_of_files_are_right_by_any_step(void **state)
{
    (void)state;
    write_layer(grouped);
    check_all_steps(&flash1_back, chapter_05_backward);
    check_all_steps(&flash2_back, chapter_06_backward);
}

/* Any of the outputs; the reading step, if none is named. */
static void one_output_is_enough(void **state)
{
    char *text;

    (void)state;
    write_layer(grouped);
    assert_int_equal(run(&flash2_back, FILES " --grad-k dk.npy", &text), 0);
    assert_non_null(strstr(text, "two_kernel_backward"));
    assert_non_null(strstr(text, "wrote dk.npy (2, 2, 21, 6)\n"));
    free(text);
    assert_null(fopen("dq.npy", "r"));
}

/* No query, or no key: zeros, written. */
static void empty_problems_have_gradients_of_zeros(void **state)
{
    const random_sizes sizes[] = {{1, 2, 1, 0, 5, 3, 2, 1},
                                  {1, 2, 1, 5, 0, 3, 2, 1}};

    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (const backward_step *s = chapter_06_backward; s->name; s++) {
            char line[300];

            write_layer(sizes[k]);
            snprintf(line, sizeof line, FILES OUTPUTS " --step %s", s->name);
            assert_int_equal(run(&flash2_back, line, NULL), 0);
            check_files(0, false, 0);
        }
}

/* --- What does not fit ---------------------------------------------------- */

static void assert_refused(const char *line, const char *name,
                           const char *reason)
{
    char *printed;
    int status;

    hear_stderr();
    status = run(&flash2_back, line, &printed);
    assert_string_equal(printed, "");
    free(printed);
    assert_said_line(name, reason);
    assert_int_equal(status, 2);
    assert_null(fopen("dq.npy", "r"));
}

static void a_dO_of_another_shape_is_refused(void **state)
{
    const random_sizes other = {2, 4, 2, 13, 21, 6, 5, 5};

    (void)state;
    write_layer(other);
    assert_int_equal(rename("do.npy", "other.npy"), 0);
    write_layer(grouped);
    assert_refused("--backward --q q.npy --k k.npy --v v.npy --grad-out "
                   "other.npy --grad-q dq.npy",
                   "other.npy", "shape (2, 4, 13, 5) is not O's (");
}

static void options_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    write_layer(grouped);
    assert_refused("--backward --q q.npy --grad-q dq.npy", "--k", "is missing");
    assert_refused("--backward --list --n 5", "--list", "not together");
    assert_refused("--backward --csv --grad-v dv.npy", "--csv", "not together");
    assert_refused("--backward --sweep n", "--sweep", "only with --csv");
    assert_refused("--backward --br 4", "--br", "only together with --bc");
    assert_refused("--backward --br 4 --bc 4 --sram 100", "--bc",
                   "not together");
    assert_refused("--backward --softcap -1", "--softcap", "not above 0");
    assert_refused("--backward --causal --causal-offset 3", "--causal",
                   "not together");
    assert_refused("--backward --heads 3 --kv-heads 2", "--kv-heads",
                   "cannot share");
    assert_refused("--backward --step backward_simd --sram 999", "--sram",
                   "counts no traffic");
    assert_refused("--backward --step backward_simd --br 4 --bc 4", "--bc",
                   "no tiles");
    assert_refused("--backward --step flash2", "--step", "flash2");
    assert_refused("--backward --lse L.npy", "--lse", "");
    assert_refused(FILES " --n 5 --grad-q dq.npy", "--n", "not together");
    assert_refused(FILES " --csv --sweep n", "--sweep", "");
    assert_refused("--backward --csv --sweep d --d 4", "--sweep",
                   "d begins at 8, beyond 4");
    assert_refused("--backward --csv --sweep n --n 9", "--sweep",
                   "n begins at 64, beyond 9");
    assert_refused("--backward --csv --sweep sram --sram 9", "--sweep",
                   "sram begins at");
    assert_refused(FILES " --grad-q q.npy", "--grad-q", "q.npy is --q's file");
}

static void too_small_an_M_is_refused(void **state)
{
    (void)state;
    assert_refused("--backward --n 9 --d 8 --sram 20", "--sram",
                   "memory of 20 elements is too small");
}

/* --- What is printed ------------------------------------------------------ */

static void the_list_names_each_step_and_its_idea(void **state)
{
    char *text;

    (void)state;
    assert_int_equal(run(&flash1_back, "--backward --list", &text), 0);
    assert_string_equal(text,
                        "standard_backward\tfp32\tP was stored; dP and dS "
                        "through HBM\n"
                        "flash1_backward\tfp32\tP made again; K, V outside, Q "
                        "inside; dQ travels\n");
    free(text);
}

/* The next cell of a line; empty ones too. */
static char *next_cell(char **at)
{
    char *cell = *at, *comma = cell ? strpbrk(cell, ",\n") : NULL;

    if (comma) {
        *comma = '\0';
        *at = comma + 1;
    }
    return cell;
}

/* Where no query sees a key, a large problem takes no time. */
static void an_error_that_is_not_known_is_no_NaN(void **state)
{
    const char *step = "--backward --step flash1_backward --d 64";
    char line[200], *text;

    (void)state;
    snprintf(line, sizeof line, "%s --n 4096 --causal-offset -4096", step);
    assert_int_equal(run(&flash1_back, line, &text), 0);
    assert_null(strstr(text, "NaN"));
    assert_null(strstr(text, "No error"));
    free(text);
    snprintf(line, sizeof line, "%s --n 20000 --causal-offset -20000", step);
    assert_int_equal(run(&flash1_back, line, &text), 0);
    assert_null(strstr(text, "NaN"));
    assert_non_null(strstr(text, "   -  "));
    assert_non_null(strstr(text, "No error is known"));
    free(text);
}

/* Columns 11 and 12, read and written, are column 15, the formula, together. */
static void check_line(char *line)
{
    char *cells[25];

    for (size_t k = 0; k < 25; k++)
        cells[k] = next_cell(&line);
    if (cells[14][0])
        assert_int_equal(strtoul(cells[10], NULL, 10) +
                             strtoul(cells[11], NULL, 10),
                         strtoul(cells[14], NULL, 10));
    for (size_t k = 21; k < 24; k++)
        assert_true(strtod(cells[k], NULL) < 1e-5);
}

static void check_csv(const char *options, size_t lines)
{
    char *text, *line;
    size_t found = 0;

    assert_int_equal(run(&flash2_back, options, &text), 0);
    line = strtok(text, "\n");
    assert_non_null(strstr(line, "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read"));
    for (line = strtok(NULL, "\n"); line; line = strtok(NULL, "\n")) {
        check_line(line);
        found++;
    }
    assert_int_equal(found, lines);
    free(text);
}

static void every_line_is_counted_as_its_formula_says(void **state)
{
    (void)state;
    check_csv("--backward --csv --n 20 --d 6", 6);
    check_csv("--backward --csv --n 20 --d 6 --step flash2_backward", 1);
    check_csv("--backward --csv --sweep n --n 128 --d 5 --causal", 2 * 6);
    check_csv("--backward --csv --sweep d --d 16 --n 20 --heads 2 --kv-heads 1",
              2 * 6);
    check_csv("--backward --csv --sweep sram --sram 512 --n 40 --d 6", 4 * 6);
}

/* Runs of blanks become one. */
static void squeeze(char *text)
{
    size_t n = 0;

    for (const char *c = text; *c; c++)
        if (*c != ' ' || c[1] != ' ')
            text[n++] = *c;
    text[n] = '\0';
}

static void check_trace(const way *chapter, const char *const lines[])
{
    char *text;

    assert_int_equal(run(chapter, "--backward --trace", &text), 0);
    squeeze(text);
    for (; *lines; lines++)
        if (!strstr(text, *lines))
            fail_msg("not in the trace: %s", *lines);
    free(text);
}

/* Query 0: scores 1 0 2 1, so that L is ln(2e + 1 + e^2) = 2.6265, and p of the
 * first key e / 13.8256 = 0.1966. dO is (1, 0): dp are the first columns of V,
 * 1 0 2 0, and D is o's, 1.2655: ds of key 0 is 0.1966 (1 - 1.2655). */
static void the_traces_are_followed_by_hand(void **state)
{
    const char *const both[] = {
        " 0 1 0 1.2655 0.4656 1.2655 2.6265\n",
        " 1 (0,0) 0 0.1966 0.0723 1 0 -0.0522 -0.0915 -0.0522 -0.0915\n",
        " 3 (0,1) 0 0.5344 0.1966 2 0 0.3925 -0.2488 0.4841 -0.1966\n",
        " 0 0.4841 -0.1966 -0.4166 -0.1440 0.4528 -0.0647\n", NULL};
    const char *const stores[] = {"dQ 0 0.4841 -0.1966\n", "D 0 1.2655\n",
                                  "dV 3 0.8336 0.7782\n", NULL};

    (void)state;
    check_trace(&flash1_back, both);
    check_trace(&flash2_back, both);
    check_trace(&flash2_back, stores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(gradients_of_files_are_right_by_any_step),
        in_directory(one_output_is_enough),
        in_directory(empty_problems_have_gradients_of_zeros),
        in_directory(a_dO_of_another_shape_is_refused),
        in_directory(options_that_do_not_go_together_are_refused),
        in_directory(too_small_an_M_is_refused),
        in_directory(the_list_names_each_step_and_its_idea),
        in_directory(an_error_that_is_not_known_is_no_NaN),
        in_directory(every_line_is_counted_as_its_formula_says),
        in_directory(the_traces_are_followed_by_hand),
    };

    return run_tests("backward_program", tests);
}
