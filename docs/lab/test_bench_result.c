/*
 * A figure above the peak is refused in its row; the others stay.
 */
#include "docs/lab/bench_result.h"

#include <math.h>
#include <string.h>

#include "common/testing/run_tests.h"

static layer problem = {
    .B = 1,
    .Hq = 1,
    .Hk = 1,
    .each = {.Nq = 2, .Nk = 2, .d = 1, .dv = 1, .scale = 1}};

/* Three rounds with that share of the peak, in t and on a line of file. */
static bool add(table *t, FILE *file, const char *name, double share)
{
    bench_result r = {name, {1, 1, 1}, {share, share, share}, 1e-7};

    return bench_line(file, t, &problem, &r, 3, 1);
}

static void a_figure_above_the_peak_is_refused_in_place(void **state)
{
    table t = {0};
    FILE *file = tmpfile();

    (void)state;
    assert_non_null(file);
    assert_true(add(&t, file, "first", 0.5));
    assert_false(add(&t, file, "faster_than_light", 1.04));
    assert_false(add(&t, file, "not_timed", (double)NAN));
    assert_true(add(&t, file, "last", 1));
    assert_non_null(strstr(t.text, "faster_than_light|refused|104 %"));
    assert_non_null(strstr(t.text, "not_timed|refused"));
    assert_null(strstr(t.text, "first|refused"));
    assert_non_null(strstr(t.text, "last|0.0|100.0 %"));
    fclose(file);
}

static void what_is_refused_is_not_in_the_file(void **state)
{
    table t = {0};
    FILE *file = tmpfile();
    char text[300] = "";

    (void)state;
    assert_non_null(file);
    add(&t, file, "first", 0.5);
    add(&t, file, "faster_than_light", 1.04);
    add(&t, file, "last", 0.5);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_null(strstr(text, "faster_than_light"));
    assert_non_null(strstr(text, "first\t"));
    assert_non_null(strstr(text, "\nlast\t"));
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_above_the_peak_is_refused_in_place),
        cmocka_unit_test(what_is_refused_is_not_in_the_file),
    };

    return run_tests("bench_result", tests);
}
