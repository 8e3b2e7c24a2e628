/* The precision-loss experiment of docs/03_online_softmax.md. */
#include "03_online_softmax/precision_loss.h"

#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "common/lesson/bundled.h"
#include "common/data/random.h"
#include "common/judge/reference.h"
#include "common/print/report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_ROW = 16384, SCORES = 1 << 16, MOST_ROWS = 64 };
/* The row lengths of the plot are 2^4, 2^5, ... 2^20 scores. */
enum { SHORTEST = 1 << 4, LENGTHS = 17 };

enum { ROW_KINDS = 3 };
const softmax_step *const compared_steps[COMPARED] = {
    &chapter_02_steps[0], &chapter_03_steps[0], &chapter_03_steps[1]};

/* SORTED: the row ascends, and its running maximum grows with the scores. */
static const score_rows row_kinds[ROW_KINDS] = {
    {"flat", NORMAL, 0.25, NULL, 0, LOSS_SEED},
    {"peaked", NORMAL, 4, NULL, 0, LOSS_SEED},
    {"rising", SORTED, 4, NULL, 0, LOSS_SEED}};

/* True if `only` is NULL or this step, or if this step is chapter 02's. */
static bool is_shown(const softmax_step *step, const softmax_step *only)
{
    return !only || step->run == only->run || step == compared_steps[0];
}

int print_real_scores(const softmax_step *only, size_t block)
{
    table t = {0};
    npy_array x;
    int failed = 0;

    if (bundled_scores(&x) != 0)
        return 1;

    size_t n = x.shape[3], rows = x.size / n;

    heading("Q K^T / sqrt(d) of a real layer: %zu rows of %zu scores", rows, n);
    table_row(&t, "step|passes|rows lost|worst error");
    for (size_t s = 0; s < COMPARED; s++) {
        softmax_verdict v;

        if (!is_shown(compared_steps[s], only))
            continue;
        failed = softmax_judge(&v, compared_steps[s], block, x.data, rows, n);
        if (failed)
            break;
        table_row(&t, "%s|%g|%zu|%s", compared_steps[s]->name, v.passes, v.lost,
                  error_text(v.error).text);
    }
    npy_free(&x);
    if (!failed)
        table_print(&t);
    return failed;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void fill_row(random_source *random, score_rows from, size_t k, float *x,
                     size_t n)
{
    if (from.kind == OF_FILE)
        memcpy(x, from.file + k * from.row, n * sizeof *x);
    else if (from.kind == UNIFORM)
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(from.spread * (2 * random_uniform(random) - 1));
    else
        random_fill(random, x, n, from.spread);
    if (from.kind == SORTED)
        qsort(x, n, sizeof *x, by_value);
}

/* Runs all compared steps on x, rounded to r.type. Sets error[s], adds its
 * square to loss[s].relative, and updates loss[s].largest. */
static void add_row(softmax_row r, float *x, double *want,
                    row_loss loss[COMPARED], double error[COMPARED])
{
    reference_softmax(x, want, r.n, NULL);
    for (size_t i = 0; i < r.n; i++)
        x[i] = round_to(r.type, x[i]);
    for (size_t s = 0; s < COMPARED; s++) {
        compared_steps[s]->run(&r);
        error[s] = relative_error(r.y, want, r.n);
        loss[s].relative += error[s] * error[s];
        for (size_t i = 0; i < r.n; i++) {
            double off = fabs((double)r.y[i] - want[i]);

            /* fmax would ignore a NaN */
            if (isnan(off) || off > loss[s].largest)
                loss[s].largest = off;
        }
    }
}

size_t rows_of_length(size_t n)
{
    size_t rows = SCORES / n;

    return rows < 1 ? 1 : rows > MOST_ROWS ? MOST_ROWS : rows;
}

int softmax_loss(score_rows from, precision type, size_t n, size_t rows,
                 size_t block, row_loss loss[COMPARED],
                 double (*each)[COMPARED])
{
    float *x = malloc(n * sizeof(*x)), *y = malloc(n * sizeof(*y));
    double *want = malloc(n * sizeof(*want));
    softmax_row r = {.n = n, .x = x, .y = y, .block = block, .type = type};
    random_source random = random_seed(from.seed);
    int failed = !x || !y || !want;

    for (size_t s = 0; s < COMPARED; s++)
        loss[s] = (row_loss){0, 0};
    for (size_t k = 0; !failed && k < rows; k++) {
        double error[COMPARED];

        fill_row(&random, from, k, x, n);
        add_row(r, x, want, loss, each ? each[k] : error);
    }
    for (size_t s = 0; s < COMPARED; s++)
        loss[s].relative = sqrt(loss[s].relative / (double)rows);
    if (failed)
        fprintf(stderr, "softmax: out of memory for a row of %zu scores\n", n);
    free(x);
    free(y);
    free(want);
    return failed;
}

int print_long_rows(const softmax_step *only, size_t block)
{
    row_loss loss[ROW_KINDS][COMPARED];
    table t = {0};

    for (size_t k = 0; k < ROW_KINDS; k++)
        if (softmax_loss(row_kinds[k], FP32, LONG_ROW, rows_of_length(LONG_ROW),
                         block, loss[k], NULL) != 0)
            return 1;
    heading("Random rows of %s scores: error against float64",
            count_text(LONG_ROW).text);
    table_row(&t, "step|flat|peaked|rising");
    for (size_t s = 0; s < COMPARED; s++)
        if (is_shown(compared_steps[s], only))
            table_row(&t, "%s|%s|%s|%s", compared_steps[s]->name,
                      error_text(loss[0][s].relative).text,
                      error_text(loss[1][s].relative).text,
                      error_text(loss[2][s].relative).text);
    table_print(&t);
    return 0;
}

static int print_losses(score_rows kind, precision type, size_t block)
{
    row_loss loss[LENGTHS][COMPARED];

    for (size_t k = 0, n = SHORTEST; k < LENGTHS; k++, n *= 2) {
        progress("%s rows in %s: 2^%zu scores", kind.name, precision_name(type),
                 k + 4);
        if (softmax_loss(kind, type, n, rows_of_length(n), block, loss[k],
                         NULL) != 0)
            return 1;
    }
    progress_done();
    for (size_t s = 0; s < COMPARED; s++)
        for (size_t k = 0, n = SHORTEST; k < LENGTHS; k++, n *= 2)
            printf("%s,%s,%s,%zu,%.3g\n", kind.name, precision_name(type),
                   compared_steps[s]->name, n, loss[k][s].relative);
    return 0;
}

int print_precision_loss(size_t block)
{
    static const precision types[] = {FP32, FP16, BF16};

    puts("rows,storage,step,n,error");
    for (size_t kind = 0; kind < ROW_KINDS; kind++)
        for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
            if (print_losses(row_kinds[kind], types[t], block) != 0)
                return 1;
    return 0;
}
