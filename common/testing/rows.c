/* Makes tests of the rows of a table (rows.h). */
#include "common/testing/rows.h"

#include <string.h>

#include "common/testing/variant.h"

typedef struct {
    row_check *check;
    const char *rows; /* n rows of `bytes` bytes */
    size_t n, bytes;
} row_test;

/* The results of numbers() and varied_scores() for the current row. They are
 * freed before the next row, so they are freed even if a row fails. */
static float *given[8];
static size_t gave;

static void free_numbers(void)
{
    while (gave > 0)
        free(given[--gave]);
}

float *numbers(const char *text, size_t *n)
{
    float *x = malloc((strlen(text) / 2 + 1) * sizeof *x), *exact;
    char *end;

    assert_true(x && gave < sizeof given / sizeof given[0]);
    for (*n = 0; *text; text = end) {
        x[(*n)++] = strtof(text, &end);
        assert_true(end > text);
    }
    /* A sanitizer finds a read after the last number only at the array's end. */
    exact = malloc(*n * sizeof *x);
    assert_true(exact || *n == 0);
    for (size_t k = 0; k < *n; k++)
        exact[k] = x[k];
    free(x);
    return given[gave++] = exact;
}

float *varied_scores(const char *text, size_t *n)
{
    float *once = numbers(text, n), *x;
    float shift = variant_shift();
    size_t length = *n, times = length > 1 ? variant_size(81, 1, 2, 3) : 1;

    if (length == 0)
        return once;
    x = malloc(times * length * sizeof *x);
    assert_true(x && gave < sizeof given / sizeof given[0]);
    for (*n = 0; *n < times * length; ++*n)
        x[*n] = once[*n % length] + shift;
    return given[gave++] = x;
}

static void check_rows(void **state)
{
    const row_test *t = *state;

    for (size_t k = 0; k < t->n; k++) {
        free_numbers();
        t->check(t->rows + k * t->bytes);
    }
}

int run_rows(const char *name, row_check *check, const void *rows, size_t n,
             size_t bytes)
{
    static row_test tests[MOST_TESTS];
    size_t count = 0;

    for (size_t k = 0; k < n; k++) {
        const char *row = (const char *)rows + k * bytes, *called;

        memcpy(&called, row, sizeof called);
        if (called != SAME_TEST) {
            tests[count] = (row_test){check, row, 0, bytes};
            add_named_test(NULL, called, check_rows, &tests[count++]);
        }
        tests[count - 1].n++;
    }
    return run_tests(name);
}
