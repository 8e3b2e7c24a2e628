/*
 * A line of comma-separated values: each number under the head that is its
 * own, and nothing where there is nothing to say.
 */
#include "common/program/attention_report.h"

#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <string.h>

static counts by_formula(const head *h, tile_sizes t)
{
    (void)h, (void)t;
    return (counts){.exps = 0};
}

static const attention_step counted = {.name = "counted",
                                       .formula = by_formula};
static const attention_step uncounted = {.name = "uncounted"};

static int no_gradients(const gradients *g, memory *mem)
{
    (void)g;
    return mem->error;
}

static counts back_by_formula(const gradients *g, tile_sizes t)
{
    (void)g, (void)t;
    return (counts){.exps = 0};
}

static const attention_step back = {.name = "back",
                                    .back = no_gradients,
                                    .back_formula = back_by_formula,
                                    .products = 5};

/* No number twice, so that none can stand in for another. */
static const layer problem = {
    .B = 2, .Hq = 3, .each = {.Nq = 4, .Nk = 5, .d = 6, .dv = 7}};
static const measurement all = {
    .tiles = {8, 9},
    .counted =
        {.read = {[ALGORITHM] = 11, [INIT] = 30, [LSE] = 50, [MASK] = 70},
         .written = {[ALGORITHM] = 12, [INIT] = 1, [LSE] = 2, [MASK] = 3},
         .exps = 20,
         .rescales = 21,
         .divisions = 22},
    .formula = {.read = {[ALGORITHM] = 13}, .written = {[ALGORITHM] = 100}},
    .on_chip = 15,
    .extra = 16,
    .error = 2.5e-7,
    .seconds = 0.0125,
};

static void assert_line(size_t M, const measurement *m, const char *want)
{
    char *got;

    hear_stdout();
    csv_line(&problem, M, m);
    got = heard_stdout();
    assert_string_equal(got, want);
    free(got);
}

static void each_number_has_its_column(void **state)
{
    measurement m = all;

    m.step = &counted, m.name = "counted";
    csv_begin();
    assert_line(10, &m,
                "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,"
                "formula,onchip,extra,exps,rescales,divisions,error,ms\n"
                "counted,2,3,4,5,6,7,8,9,10,11,12,31,52,73,113,15,16,20,21,22,"
                "2.500e-07,12.500\n");
}

static void a_way_back_has_columns_of_its_own(void **state)
{
    measurement m = all;

    m.step = &back, m.name = "back";
    m.forward.read[ALGORITHM] = 200;
    m.errors.dQ = 1e-7, m.errors.dK = 2e-7, m.errors.dV = 3e-7;
    csv_begin();
    assert_line(10, &m,
                "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,mask,"
                "formula,onchip,extra,forward,products,exps,divisions,dQ,dK,dV,"
                "ms\n"
                "back,2,3,4,5,6,7,8,9,10,11,12,31,73,113,15,16,200,5,20,22,"
                "1.000e-07,2.000e-07,3.000e-07,12.500\n");
}

/* Of either sign, as the processor likes. */
static void an_error_that_is_nan_has_no_sign(void **state)
{
    measurement m = all;

    m.step = &counted, m.name = "counted";
    for (int sign = -1; sign <= 1; sign += 2) {
        m.error = copysign((double)NAN, sign);
        assert_line(10, &m,
                    "counted,2,3,4,5,6,7,8,9,10,11,12,31,52,73,113,15,16,20,21,"
                    "22,nan,12.500\n");
    }
}

static void what_a_step_has_not_is_empty(void **state)
{
    measurement m = all;

    m.step = &uncounted, m.name = "uncounted";
    assert_line(10, &m,
                "uncounted,2,3,4,5,6,7,8,9,,,,,,,,,,,,,2.500e-07,"
                "12.500\n");
    m.step = &counted, m.name = "counted";
    m.tiles = (tile_sizes){0, 0};
    assert_line(0, &m,
                "counted,2,3,4,5,6,7,,,,11,12,31,52,73,113,,,,,,2.500e-07,"
                "12.500\n");
    assert_line(MEMORY_UNBOUNDED, &m,
                "counted,2,3,4,5,6,7,,,,11,12,31,52,73,113,15,16,20,21,22,"
                "2.500e-07,12.500\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(each_number_has_its_column),
        in_directory(a_way_back_has_columns_of_its_own),
        in_directory(an_error_that_is_nan_has_no_sign),
        in_directory(what_a_step_has_not_is_empty),
    };

    return run_tests("attention_csv", tests);
}
