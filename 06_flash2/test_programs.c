/*
 * Of chapters 04 to 06 together: the traces show what the kernels do, and
 * every line of --csv is counted as its formula says.
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/program/attention_program.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"
#include "common/lesson/toy.h"

#include <string.h>

/* --- What was printed ----------------------------------------------------- */

/* Runs of blanks become one. */
static void squeeze(char *text)
{
    size_t n = 0;

    for (const char *c = text; *c; c++)
        if (*c != ' ' || c[1] != ' ')
            text[n++] = *c;
    text[n] = '\0';
}

/* --- Traces --------------------------------------------------------------- */

/* A trace compares itself with the kernels and fails if they differ. */
static void assert_traced(int trace(void), const char *const lines[])
{
    char *text;
    int status;

    hear_stdout();
    status = trace();
    text = heard_stdout();
    squeeze(text);
    assert_int_equal(status, 0);
    for (; *lines; lines++)
        if (!strstr(text, *lines))
            fail_msg("not in the trace: %s", *lines);
    free(text);
}

/* By hand: query 0 scores 1 0 | 2 1, so m goes from 1 to 2, l from 1 + e^-1 to
 * (1 + e^-1) e^-1 + 1 + e^-1, and o from (e, 1) / (e + 1) to (e + 2 e^2, 1 + 2
 * e) / (e + 1 + e^2 + e), which is 1.2655 and 0.4656. */
static void the_trace_of_tiled_attention_is_followed_by_hand(void **state)
{
    (void)state;
    assert_traced(trace_tiled_attention,
                  (const char *const[]){
                      "1.8711 0.1966 0.0723 0.5344 0.1966 1.2655 0.4656\n",
                      "1 1.3679 0.7311 0.2689\n",
                      "0.3679 1 1.8711 1.2655 0.4656\n",
                      "This O is standard_attention's own, bit for bit.\n",
                      "This O is tiled_attention's own, bit for bit.\n", NULL});
}

static void the_trace_of_flash1_is_followed_by_hand(void **state)
{
    (void)state;
    assert_traced(trace_flash1, (const char *const[]){
                                    "1 (0,0) 0 1 0", "3 (0,1) 0 2 1",
                                    "0.3679 1 1.8711 1.2655 0.4656\n",
                                    "This O is flash1's own, bit for bit.\n",
                                    " 3 K1 V1 Q0 O0 m0 l0 O0 m0 l0\n", NULL});
}

/* Unnormalised: e^-1 (1, e^-1) + (2, 2 e^-1) is (2.3679, 0.8711). */
static void the_trace_of_flash2_is_followed_by_hand(void **state)
{
    (void)state;
    assert_traced(trace_flash2,
                  (const char *const[]){
                      "1.8711 2.3679 0.8711\n", "1.2655 0.4656 2.6265\n",
                      "This O is flash2's own, bit for bit.\n", " 3 Q1 K0 V0\n",
                      NULL});
}

static void assert_order(attention_fn *kernel, const size_t want[][2])
{
    visits v;
    toy t;

    toy_fill(&t);
    assert_int_equal(visits_of(&v, &t, kernel), 0);
    for (size_t k = 0; k < 4; k++)
        if (!v.visit[k].pair || v.visit[k].i != want[k][0] ||
            v.visit[k].j != want[k][1])
            fail_msg("visit %zu is of (%zu, %zu), not (%zu, %zu)", k,
                     v.visit[k].i, v.visit[k].j, want[k][0], want[k][1]);
}

static void flash1_goes_by_columns_and_flash2_by_rows(void **state)
{
    const size_t columns[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    const size_t rows[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

    (void)state;
    assert_order(flash1, columns);
    assert_order(flash2_deferred, columns);
    assert_order(flash2, rows);
}

static void a_trace_notices_another_kernel(void **state)
{
    float O[TOY_N * TOY_D] = {0};
    char *text;
    int status;
    toy t;

    (void)state;
    toy_fill(&t);
    hear_stdout();
    hear_stderr();
    status = toy_compare(&t, "flash2", flash2, O);
    assert_said_line("--trace", "does not show what flash2 computes");
    text = heard_stdout();
    free(text);
    assert_int_equal(status, 1);
}

/* --- Comma-separated values ----------------------------------------------- */

/* Number nth of a line, from 0; -1 if that cell is empty. */
static long long cell(const char *line, int nth)
{
    for (; nth; nth--)
        line = strchr(line, ',') + 1;
    return *line == ',' ? -1 : strtoll(line, NULL, 10);
}

/* Every counted line: hbm_read + hbm_written = formula. Returns how many. */
static size_t check_lines(const attention_step *own, char *line)
{
    way chapter = {.about = "", .example = "", .own = own};
    char *argv[32] = {"./run"}, *text;
    int argc = 1, status;
    size_t counted = 0;

    for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    hear_stdout();
    status = attention_program(&chapter, NULL, argc, argv);
    text = heard_stdout();
    assert_int_equal(status, 0);
    line = strchr(text, '\n') + 1; /* after the header */
    for (; *line; line = strchr(line, '\n') + 1) {
        long long formula = cell(line, 15);

        if (formula < 0)
            continue;
        counted++;
        if (cell(line, 10) + cell(line, 11) != formula)
            fail_msg("counted and formula differ: %.*s",
                     (int)strcspn(line, "\n"), line);
    }
    free(text);
    return counted;
}

static void every_line_of_csv_adds_up_to_its_formula(void **state)
{
    const attention_step *const chapters[] = {
        chapter_04_steps, chapter_05_steps, chapter_06_steps};
    const char *const lines[] = {
        "--batch 2 --heads 4 --kv-heads 2 --n 33 --nk 47 --d 5 --dv 7 --csv",
        "--n 33 --nk 47 --d 5 --sram 99 --causal --csv",
        "--n 47 --nk 33 --d 5 --sram 200 --causal-offset -9 --csv",
        "--sweep n --n 128 --d 4 --csv",
        "--sweep d --n 17 --d 16 --csv",
        "--sweep sram --n 65 --sram 1024 --d 8 --csv",
        "--sweep br --n 65 --sram 1024 --d 8 --csv",
    };

    (void)state;
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
            char line[200];

            snprintf(line, sizeof line, "%s", lines[k]);
            assert_true(check_lines(chapters[c], line) > 0);
        }
}

/* --- Steps for a second reading -------------------------------------------- */

/* What chapter 06's program prints with those options. */
static char *printed(const char *options)
{
    const way chapter = {.about = "",
                         .example = "",
                         .own = chapter_06_steps,
                         .also = chapter_06_variants,
                         .reading = 1};
    char *argv[32] = {"./run"}, line[200], *text;
    int argc = 1, status;

    snprintf(line, sizeof line, "%s", options);
    for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    hear_stdout();
    status = attention_program(&chapter, NULL, argc, argv);
    text = heard_stdout();
    assert_int_equal(status, 0);
    return text;
}

static void variants_are_listed_and_run_but_are_in_no_table(void **state)
{
    const struct {
        const char *options;
        bool there;
    } want[] = {{"--list", true},
                {"--n 9 --d 4", false},
                {"--n 9 --d 4 --csv", false},
                {"--n 9 --d 4 --step lazy_rescale", true},
                {"--n 9 --d 4 --step lazy_rescale --csv", true},
                {"--n 9 --d 4 --step flash2 --csv", false}};

    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        char *text = printed(want[k].options);

        assert_int_equal(strstr(text, "lazy_rescale") != NULL, want[k].there);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(the_trace_of_tiled_attention_is_followed_by_hand),
        in_directory(the_trace_of_flash1_is_followed_by_hand),
        in_directory(the_trace_of_flash2_is_followed_by_hand),
        cmocka_unit_test(flash1_goes_by_columns_and_flash2_by_rows),
        in_directory(a_trace_notices_another_kernel),
        in_directory(every_line_of_csv_adds_up_to_its_formula),
        in_directory(variants_are_listed_and_run_but_are_in_no_table),
    };

    return run_tests("programs of 04 to 06", tests);
}
