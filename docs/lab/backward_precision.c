/*
 * Which quantity of the backward pass loses how much: all in float64 but for
 * one at a time, which is computed in fp32, or rounded to bf16. Then what D
 * costs where O is stored in bf16 and the values have a mean; and what an L
 * costs that is off.
 *
 *     make lab-backward_precision
 *
 * Lines: alone, quantity, type, errors of dQ, dK, dV | mean, c, how D is made,
 * errors | off, L's error, errors. Each ||got - want|| / ||want||; N = 512,
 * d = 64, scores of standard deviation 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/reference_gradients.h"
#include "common/precision.h"
#include "common/print/report.h"
#include "common/problem/random.h"

enum { N = 512, D_COLUMNS = 64, ELEMENTS = N * D_COLUMNS };

typedef enum {
    OF_S,
    OF_L,
    OF_P,
    OF_O,
    OF_DP,
    OF_D,
    OF_DS,
    QUANTITIES
} quantity;
static const char *const names[] = {"S", "L", "P", "O", "dP", "D", "dS"};

typedef enum { EXACT, SINGLE, BRAIN } type; /* float64, fp32, bf16 */
static const char *const types[] = {"float64", "fp32", "bf16"};

typedef struct {
    type of[QUANTITIES];
    bool D_of_P;  /* D = sum_j P dP, of P and dP as they are */
    double L_off; /* added to L */
} rounding;

static float Q[ELEMENTS], K[ELEMENTS], V[ELEMENTS], dO[ELEMENTS];
static double want_dQ[ELEMENTS], want_dK[ELEMENTS], want_dV[ELEMENTS];
static double dQ[ELEMENTS], dK[ELEMENTS], dV[ELEMENTS];

static double as(type t, double x)
{
    return t == EXACT    ? x
           : t == SINGLE ? (double)(float)x
                         : (double)round_to(BF16, (float)x);
}

static double product(const float *a, const float *b)
{
    double sum = 0;

    for (size_t c = 0; c < D_COLUMNS; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

/* A product of the length d as a kernel computes it in fp32; or rounded. */
static double product_as(type t, const float *a, const float *b)
{
    return t == SINGLE ? (double)dot(a, b, D_COLUMNS) : as(t, product(a, b));
}

static gradients problem(void)
{
    return (gradients){.h = {.Nq = N,
                             .Nk = N,
                             .d = D_COLUMNS,
                             .dv = D_COLUMNS,
                             .Q = {matrix_of(Q, N, D_COLUMNS), FP32},
                             .K = {matrix_of(K, N, D_COLUMNS), FP32},
                             .V = {matrix_of(V, N, D_COLUMNS), FP32},
                             .scale = 0.125f},
                       .dO = {matrix_of(dO, N, D_COLUMNS), FP32}};
}

/* Values of mean c; and the truth. */
static int make(double c)
{
    random_source source = random_seed(1);
    gradients g = problem();

    random_fill(&source, Q, ELEMENTS, 1);
    random_fill(&source, K, ELEMENTS, 1);
    random_fill(&source, V, ELEMENTS, 1);
    random_fill(&source, dO, ELEMENTS, 1);
    for (size_t e = 0; e < ELEMENTS; e++)
        V[e] += (float)c;
    return reference_gradients(&g, want_dQ, want_dK, want_dV) < 0;
}

/* Row i of P, rounded as w says; O of it, with an exact sum. */
static void forward_row(rounding w, size_t i, double *P, double *O)
{
    double m = -HUGE_VAL, l = 0, L;

    for (size_t j = 0; j < N; j++) {
        P[j] = 0.125 *
               product_as(w.of[OF_S], Q + i * D_COLUMNS, K + j * D_COLUMNS);
        m = fmax(m, P[j]);
    }
    for (size_t j = 0; j < N; j++)
        l += exp(P[j] - m);
    L = as(w.of[OF_L], m + log(l)) + w.L_off;
    for (size_t c = 0; c < D_COLUMNS; c++)
        O[c] = 0;
    for (size_t j = 0; j < N; j++) {
        for (size_t c = 0; c < D_COLUMNS; c++)
            O[c] += exp(P[j] - m) / l * (double)V[j * D_COLUMNS + c];
        P[j] = as(w.of[OF_P], exp(P[j] - L));
    }
    for (size_t c = 0; c < D_COLUMNS; c++)
        O[c] = as(w.of[OF_O], O[c]);
}

static double delta(rounding w, const float *dO_i, const double *P,
                    const double *dP, const double *O)
{
    double D = 0;

    for (size_t j = 0; j < N && w.D_of_P; j++)
        D += P[j] * dP[j];
    for (size_t c = 0; c < D_COLUMNS && !w.D_of_P; c++)
        D += (double)dO_i[c] * O[c];
    return as(w.of[OF_D], D);
}

static void run(rounding w)
{
    static double P[N], dP[N], O[D_COLUMNS];

    memset(dQ, 0, sizeof dQ);
    memset(dK, 0, sizeof dK);
    memset(dV, 0, sizeof dV);
    for (size_t i = 0; i < N; i++) {
        const float *dO_i = dO + i * D_COLUMNS, *q = Q + i * D_COLUMNS;
        double D;

        forward_row(w, i, P, O);
        for (size_t j = 0; j < N; j++)
            dP[j] = product_as(w.of[OF_DP], dO_i, V + j * D_COLUMNS);
        D = delta(w, dO_i, P, dP, O);
        for (size_t j = 0; j < N; j++) {
            double ds = 0.125 * as(w.of[OF_DS], P[j] * (dP[j] - D));

            for (size_t c = 0; c < D_COLUMNS; c++) {
                dV[j * D_COLUMNS + c] += P[j] * (double)dO_i[c];
                dK[j * D_COLUMNS + c] += ds * (double)q[c];
                dQ[i * D_COLUMNS + c] += ds * (double)K[j * D_COLUMNS + c];
            }
        }
    }
}

static double off(const double *got, const double *want)
{
    double above = 0, below = 0;

    for (size_t e = 0; e < ELEMENTS; e++) {
        above += (got[e] - want[e]) * (got[e] - want[e]);
        below += want[e] * want[e];
    }
    return sqrt(above / below);
}

static void print_errors(rounding w)
{
    run(w);
    printf("\t%.1e\t%.1e\t%.1e\n", off(dQ, want_dQ), off(dK, want_dK),
           off(dV, want_dV));
}

static void print_alone(void)
{
    for (type t = SINGLE; t <= BRAIN; t++)
        for (quantity k = OF_S; k < QUANTITIES; k++) {
            rounding w = {.D_of_P = false};

            w.of[k] = t;
            printf("alone\t%s\t%s", names[k], types[t]);
            print_errors(w);
        }
}

/* P, dS and O in bf16, as in training with mixed precision. */
static int print_means(void)
{
    for (double c = 0; c <= 100; c = c > 0 ? c * 10 : 1)
        for (int of_P = 0; of_P < 2; of_P++) {
            rounding w = {.D_of_P = of_P};

            if (make(c))
                return 1;
            w.of[OF_P] = w.of[OF_DS] = w.of[OF_O] = BRAIN;
            printf("mean\t%g\t%s", c, of_P ? "sum P dP" : "dO . O");
            print_errors(w);
        }
    return make(0);
}

static void print_off(void)
{
    for (double eps = 1e-1; eps > 5e-7; eps /= 10) {
        rounding w = {.L_off = eps};

        printf("off\t%.0e", eps);
        print_errors(w);
    }
}

int main(void)
{
    int failed = make(0);

    if (!failed) {
        print_alone();
        failed = print_means();
    }
    if (failed)
        fprintf(stderr, "float64: out of memory\n");
    else
        print_off();
    return report_end(failed);
}
