/* Makes tests of the rows of a table (claims.h). */
#include "common/testing/claims.h"

#include <string.h>

#include "common/testing/variant.h"

typedef struct {
    row_check *check;
    const char *rows; /* n rows of `bytes` bytes */
    size_t n, bytes;
} claim;

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
    float *x = malloc((strlen(text) / 2 + 1) * sizeof *x);
    char *end;

    assert_true(x && gave < sizeof given / sizeof given[0]);
    for (*n = 0; *text; text = end) {
        x[(*n)++] = strtof(text, &end);
        assert_true(end > text);
    }
    if (*n > 0)
        x = realloc(x, *n * sizeof *x);
    else { /* so that a sanitizer finds a read of x[0] */
        free(x);
        x = malloc(0);
    }
    return given[gave++] = x;
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

static void claim_holds(void **state)
{
    const claim *c = *state;

    for (size_t k = 0; k < c->n; k++) {
        free_numbers();
        c->check(c->rows + k * c->bytes);
    }
}

int run_rows(const char *name, row_check *check, const void *rows, size_t n,
             size_t bytes)
{
    static claim claims[MOST_CLAIMS];
    size_t count = 0;

    for (size_t k = 0; k < n; k++) {
        const char *row = (const char *)rows + k * bytes, *called;

        memcpy(&called, row, sizeof called);
        if (called != SAME_CLAIM) {
            claims[count] = (claim){check, row, 0, bytes};
            add_claim(NULL, called, claim_holds, &claims[count++]);
        }
        claims[count - 1].n++;
    }
    return run_tests(name);
}
