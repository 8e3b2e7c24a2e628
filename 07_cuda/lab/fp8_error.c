/*
 * What e4m3 costs: rung 11, through the emulator, with a scale for each block
 * and with one for all of Q, of K, of V; beside rung 10 in bf16; against
 * attention of the same bf16 inputs in float64. docs/hopper.md
 *
 *     fp8_error          the table of errors
 *     fp8_error codes    what e4m3 holds
 *     fp8_error keys     where V's keys are
 *     fp8_error lazy     what a lazy rescale does to weights in e4m3
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/print/outside.h"
#include "common/print/report.h"

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/host/device.h"
#include "07_cuda/fp8/fp8_model.h"

/* --- Errors --------------------------------------------------------------- */

enum { N = 512, D = 64 }; /* one head, causal */

/* One number in a thousand gets a normal one added, ten times as large. */
static void add_outliers(const void *x, random_source *source)
{
    uint16_t *a = (uint16_t *)x;

    for (size_t e = 0; e < (size_t)N * D; e++)
        if (random_below(source, 1000) == 0)
            a[e] = to_bf16(from_bf16(a[e]) + 10 * (float)random_normal(source));
}

static rung_problem normal(void)
{
    return fp8_problem(&(fp8_shape){1, 1, N, N, D, 0}, 1, 17);
}

static rung_problem with_outliers(void)
{
    rung_problem p = normal();
    random_source source = random_seed(18);

    add_outliers(p.Q, &source);
    add_outliers(p.K, &source);
    add_outliers(p.V, &source);
    return p;
}

/* V of the last key, which the last query alone sees, is larger. */
static rung_problem with_large_value(float factor)
{
    rung_problem p = normal();
    uint16_t *v = (uint16_t *)p.V + (size_t)(N - 1) * D;

    for (int c = 0; c < D; c++)
        v[c] = to_bf16(from_bf16(v[c]) * factor);
    return p;
}

/* ||O - want|| / ||want|| of all rows but the last, in percent. */
static words error_of(rung_fn *run, const rung_problem *p, const double *want)
{
    double square = 0, whole = 0;
    int error = rung_on_device(run, p, NULL);
    words w;

    if (error) {
        fprintf(stderr, "fp8_error: %s\n", device_error(error));
        exit(1);
    }
    for (size_t e = 0; e < (size_t)(N - 1) * D; e++) {
        double o = (double)from_bf16(((const uint16_t *)p->O)[e]);

        square += (o - want[e]) * (o - want[e]);
        whole += want[e] * want[e];
    }
    snprintf(w.text, sizeof w.text, "%.2f%%", 100 * sqrt(square / whole));
    return w;
}

static void add_row(table *t, const char *data, rung_problem p)
{
    static double want[N * D], L[N];
    fp8_numbers x = fp8_numbers_of(&p, false);
    words bf16, blocks;

    fp8_model_attend(&p, &x, (fp8_rounding){false, 0}, want, L, NULL);
    bf16 = error_of(rung_pingpong, &p, want);
    blocks = error_of(rung_fp8, &p, want);
    fp8_model_quantise(&p, true);
    table_row(t, "%s|%s|%s|%s", data, bf16.text, blocks.text,
              error_of(fp8_attend, &p, want).text);
    fp8_numbers_free(&x);
    fp8_problem_free(&p);
}

static void print_errors(void)
{
    table t = {0};

    cuda_on_cpu_set_effort(CUDA_COUNT);
    heading("Relative error of O: %d queries and keys, d %d, causal", N, D);
    table_row(&t, "Q, K, V|bf16|e4m3, a scale a block|one scale");
    add_row(&t, "normal", normal());
    add_row(&t, "1 in 1000 ten times as large", with_outliers());
    add_row(&t, "V of the last key times 2^8", with_large_value(0x1p8f));
    add_row(&t, "V of the last key times 2^12", with_large_value(0x1p12f));
    add_row(&t, "V of the last key times 2^16", with_large_value(0x1p16f));
    table_print(&t);
}

/* --- Lazy rescales --------------------------------------------------------- */

/* ||O - want|| / ||want||, and how far off the worst row is. */
static void add_tau(table *t, const rung_problem *p, const fp8_numbers *x,
                    const double *want, double tau)
{
    static double O[N * D], L[N];
    double square = 0, whole = 0, worst = 0;

    fp8_model_attend(p, x, (fp8_rounding){true, tau}, O, L, NULL);
    for (size_t i = 0; i < N; i++) {
        double row = 0, norm = 0;

        for (size_t e = i * D; e < (i + 1) * D; e++) {
            row += (O[e] - want[e]) * (O[e] - want[e]);
            norm += want[e] * want[e];
        }
        square += row;
        whole += norm;
        worst = fmax(worst, sqrt(row / norm));
    }
    table_row(t, "%g|%.4g|%.4g|%.2f%%|%.2f%%", tau, exp2(tau), 256 * exp2(tau),
              100 * sqrt(square / whole), 100 * worst);
}

/* Of P alone: Q, K and V are as they were given. Four times the usual scale,
 * so that rows are peaked and their maxima go on growing. */
static void print_lazy(void)
{
    static const double taus[] = {0, 0.25, 0.5, 0.75, 0.8, 1, 1.5, 2, 4, 8};
    static double want[N * D], L[N];
    rung_problem p = normal();
    fp8_numbers x = fp8_numbers_of(&p, false);
    table t = {0};

    p.scale *= 4;
    fp8_model_attend(&p, &x, (fp8_rounding){false, 0}, want, L, NULL);
    heading("P in e4m3, times 2^8; beyond 448 it is 448");
    table_row(&t, "tau|weights up to|in e4m3|error of O|of the worst row");
    for (size_t k = 0; k < sizeof taus / sizeof *taus; k++)
        add_tau(&t, &p, &x, want, taus[k]);
    table_print(&t);
    fp8_numbers_free(&x);
    fp8_problem_free(&p);
}

/* --- Codes and keys ------------------------------------------------------- */

/* Numbers from one power of two to the next, and how far apart they are. */
static void print_codes(void)
{
    table t = {0};

    heading("e4m3, the positive codes");
    table_row(&t, "codes|from|to|step");
    for (unsigned code = 0; code < 128; code += 8) {
        unsigned last = code + 7 < 127 ? code + 7 : 126;

        table_row(&t, "%02x to %02x|%g|%g|2^%d", code, last, e4m3_value(code),
                  e4m3_value(last),
                  ilogb(e4m3_value(code + 1) - e4m3_value(code)));
    }
    table_row(&t, "7f|NaN||");
    table_print(&t);
}

/* Thread t of four has these keys' weights of a row, after Q K^T; and P V
 * takes what it packs for these places of V's rows. */
static void print_keys(void)
{
    heading("Of 16 keys: those at each place of V's rows, and whose weights");
    printf("place ");
    for (size_t k = 0; k < 16; k++)
        printf("%4zu", k);
    printf("\nkey   ");
    for (size_t k = 0; k < 16; k++)
        for (size_t j = 0; j < 16; j++)
            if (fp8_place_of(j) == k)
                printf("%4zu", j);
    printf("\nthread");
    for (size_t k = 0; k < 16; k++)
        printf("%4zu", k / 4);
    puts("");
}

int main(int argc, char **argv)
{
    static const char *const known[] = {"codes", "keys", "lazy", NULL};
    static void (*const print[])(void) = {print_codes, print_keys, print_lazy,
                                          print_errors};
    int word = word_given(argc, argv, known);

    if (word < 0)
        return 2;
    print[word]();
    return report_end(0);
}
