/*
 * Prints the error of rung 11 (e4m3) on the emulator, with a scale for each
 * block and with one scale for each of Q, K and V. Also prints the error of
 * rung 10 (bf16). The reference is attention of the same bf16 inputs in
 * float64. docs/hopper.md
 *
 *     fp8_error          prints a table of errors
 *     fp8_error lazy     prints the model's error: e4m3 P, and m grows lazily
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/print/outside.h"
#include "common/print/report.h"

#include <cuda_on_cpu.h>
#include "07_cuda/host/device.h"
#include "07_cuda/fp8/fp8_model.h"

enum { N = 512, D = 64 }; /* one head, causal */

static rung_problem normal(void)
{
    return fp8_problem(&(fp8_shape){1, 1, N, N, D, 0}, 1, 17);
}

static void attend(const rung_problem *p, double *O)
{
    static double L[N];
    fp8_numbers x = fp8_numbers_of(p, false);

    fp8_model_attend(p, &x, (fp8_rounding){false, 0}, O, L, NULL);
    fp8_numbers_free(&x);
}

/* Adds 10 times a normal random number to about 1 in 1000 elements. */
static void add_outliers(const void *x, random_source *source)
{
    uint16_t *a = (uint16_t *)x;

    for (size_t e = 0; e < (size_t)N * D; e++)
        if (random_below(source, 1000) == 0)
            a[e] = to_bf16(from_bf16(a[e]) + 10 * (float)random_normal(source));
}

/* Multiplies V of the last key by factor. Only the last query sees this key. */
static void enlarge_value(const rung_problem *p, float factor)
{
    uint16_t *v = (uint16_t *)p->V + (size_t)(N - 1) * D;

    for (int c = 0; c < D; c++)
        v[c] = to_bf16(from_bf16(v[c]) * factor);
}

/* Runs a rung. Returns the relative error of O without its last row. */
static words error_of(rung_fn *run, const rung_problem *p, const double *want)
{
    int error = rung_on_device(run, p, NULL);
    words w;

    if (error) {
        fprintf(stderr, "fp8_error: %s\n", device_error(error));
        exit(1);
    }
    snprintf(w.text, sizeof w.text, "%.2f%%",
             100 * fp8_distance(p, NULL, want, 0, (size_t)(N - 1) * D));
    return w;
}

static void add_row(table *t, const char *data, bool outliers, float factor)
{
    static double want[N * D];
    random_source source = random_seed(18);
    rung_problem p = normal();
    words bf16, blocks;

    if (outliers) {
        add_outliers(p.Q, &source);
        add_outliers(p.K, &source);
        add_outliers(p.V, &source);
    }
    enlarge_value(&p, factor);
    attend(&p, want);
    bf16 = error_of(rung_pingpong, &p, want);
    blocks = error_of(rung_fp8, &p, want);
    fp8_model_quantise(&p, true);
    table_row(t, "%s|%s|%s|%s", data, bf16.text, blocks.text,
              error_of(fp8_attend, &p, want).text);
    fp8_problem_free(&p);
}

static void print_errors(void)
{
    table t = {0};

    cuda_on_cpu_set_effort(CUDA_COUNT);
    heading("Relative error of O without its last row: %d queries and keys, "
            "d %d, causal",
            N, D);
    table_row(&t, "Q, K, V|bf16|e4m3, scale per block|one scale");
    add_row(&t, "normal", false, 1);
    add_row(&t, "1 in 1000 ten times as large", true, 1);
    add_row(&t, "V of the last key times 2^8", false, 0x1p8f);
    add_row(&t, "V of the last key times 2^12", false, 0x1p12f);
    add_row(&t, "V of the last key times 2^16", false, 0x1p16f);
    table_print(&t);
}

/* m changes only if it grows by more than tau. Only P is rounded to e4m3. The
 * scores have four times the usual scale, so that maxima grow often. */
static void print_lazy(void)
{
    static const double taus[] = {0, 0.25, 0.5, 0.75, 0.8, 1, 1.5, 2, 4, 8};
    static double want[N * D], O[N * D], L[N];
    rung_problem p = normal();
    fp8_numbers x = fp8_numbers_of(&p, false);
    table t = {0};

    p.scale *= 4;
    attend(&p, want);
    heading("P in e4m3, times 2^8; numbers above 448 become 448");
    table_row(&t, "tau|weights up to|times 2^8|error of O|of the worst row");
    for (size_t k = 0; k < sizeof taus / sizeof *taus; k++) {
        double worst = 0;

        fp8_model_attend(&p, &x, (fp8_rounding){true, taus[k]}, O, L, NULL);
        for (size_t e = 0; e < N * D; e += D)
            worst = fmax(worst, fp8_distance(&p, O, want, e, e + D));
        table_row(&t, "%g|%.4g|%.4g|%.2f%%|%.2f%%", taus[k], exp2(taus[k]),
                  256 * exp2(taus[k]),
                  100 * fp8_distance(&p, O, want, 0, N * D), 100 * worst);
    }
    table_print(&t);
    fp8_numbers_free(&x);
    fp8_problem_free(&p);
}

int main(int argc, char **argv)
{
    static const char *const known[] = {"lazy", NULL};
    int word = word_given(argc, argv, known);

    if (word < 0)
        return 2;
    (word == 0 ? print_lazy : print_errors)();
    return report_end(0);
}
