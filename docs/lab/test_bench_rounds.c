/*
 * A figure above what the probes found possible is refused in its row; the
 * others stay.
 */
#include "docs/lab/bench_rounds.h"

#include <math.h>
#include <string.h>

#include "common/testing/run_tests.h"

/* A step is the seconds that it takes. */
static double run(const bench_problem *w, const void *step)
{
    (void)w;
    return *(const double *)step;
}

static double probe(const bench_problem *w)
{
    (void)w;
    return 1;
}

static double error(const bench_problem *w)
{
    (void)w;
    return 1e-7;
}

static void a_figure_above_the_peak_is_refused_in_place(void **state)
{
    static const double seconds[] = {2, 0.96, (double)NAN, 1, -1};
    static const char *const names[] = {"first", "faster_than_light",
                                        "not_timed", "last", "failed"};
    static race r = {.title = "",
                     .work = 1,
                     .run = run,
                     .probe = probe,
                     .error = error,
                     .most = 1,
                     .until = HUGE_VAL};
    table t = {0};
    bool told[4];

    for (size_t k = 0; k < 5; k++)
        race_join(&r, names[k], &seconds[k]);
    assert_int_equal(r.n, 3);
    r.all[r.n] = r.all[0]; /* timed, but to no number */
    r.all[r.n].name = names[2];
    r.all[r.n++].step = &seconds[2];
    race_run(&r);
    for (size_t k = 0; k < r.n; k++)
        told[k] = race_row(&r, &r.all[k], &t);
    assert_true(told[0] && !told[1] && told[2] && !told[3]);
    assert_non_null(strstr(t.text, "first|0.0|50.0 %|2000.00|0 %|"));
    assert_non_null(strstr(t.text, "faster_than_light|refused|104 %"));
    assert_non_null(strstr(t.text, "last|0.0|100.0 %"));
    assert_non_null(strstr(t.text, "not_timed|refused"));
    assert_true(r.all[0].done >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_above_the_peak_is_refused_in_place),
    };

    return run_tests("bench_rounds", tests);
}
