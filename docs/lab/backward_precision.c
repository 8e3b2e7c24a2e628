/*
 * Which quantity of the backward pass loses how much: all in float64 but for
 * one at a time, which is computed in fp32, or rounded to bf16. Then what D
 * costs where O is stored in bf16 and the values have a mean.
 *
 *     build/docs/lab/backward_precision alone | mean
 *
 * A table in Markdown of ||got - want|| / ||want||; N = 512, d = 64, scores of
 * standard deviation 1.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/judge/reference_attention.h"
#include "common/precision.h"
#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/problem/random.h"

enum { N = 512, d = 64 };
enum { OF_S, OF_L, OF_P, OF_O, OF_DP, OF_D, OF_DS, QUANTITIES };
static const char *const names[] = {"S", "L", "P", "O", "dP", "D", "dS"};

typedef enum { EXACT, SINGLE, BRAIN } type; /* float64, fp32, bf16 */

typedef struct {
    type of[QUANTITIES];
    bool D_of_P; /* D = sum_j P dP, of P and dP as they are */
} rounding;

static float Q[N][d], K[N][d], V[N][d], dO[N][d];
static double want[3][N][d], got[3][N][d]; /* dQ, dK, dV */

static double as(type t, double x)
{
    return t == EXACT    ? x
           : t == SINGLE ? (double)(float)x
                         : (double)round_to(BF16, (float)x);
}

/* A product of the length d as a kernel computes it in fp32; or rounded. */
static double product_as(type t, const float *a, const float *b)
{
    double sum = 0;

    for (size_t c = 0; c < d; c++)
        sum += (double)a[c] * (double)b[c];
    return t == SINGLE ? (double)dot(a, b, d) : as(t, sum);
}

static array of(float a[N][d])
{
    return (array){matrix_of(a[0], N, d), FP32};
}

/* Values of mean c; and the truth. */
static int make(double c)
{
    random_source source = random_seed(1);
    gradients g = {.h = {.Nq = N,
                         .Nk = N,
                         .d = d,
                         .dv = d,
                         .Q = of(Q),
                         .K = of(K),
                         .V = of(V),
                         .scale = 0.125f},
                   .dO = of(dO)};

    random_fill(&source, Q[0], N * d, 1);
    random_fill(&source, K[0], N * d, 1);
    random_fill(&source, V[0], N * d, 1);
    random_fill(&source, dO[0], N * d, 1);
    for (size_t j = 0; j < N; j++)
        for (size_t x = 0; x < d; x++)
            V[j][x] += (float)c;
    return reference_gradients(&g, want[0][0], want[1][0], want[2][0]) < 0;
}

/* Row i of P, rounded as w says; O of it, with an exact sum. */
static void forward_row(rounding w, size_t i, double *P, double *O)
{
    double m = -HUGE_VAL, l = 0, L;

    for (size_t j = 0; j < N; j++) {
        P[j] = 0.125 * product_as(w.of[OF_S], Q[i], K[j]);
        m = fmax(m, P[j]);
    }
    for (size_t j = 0; j < N; j++)
        l += exp(P[j] - m);
    L = as(w.of[OF_L], m + log(l));
    memset(O, 0, d * sizeof *O);
    for (size_t j = 0; j < N; j++) {
        for (size_t c = 0; c < d; c++)
            O[c] += exp(P[j] - m) / l * (double)V[j][c];
        P[j] = as(w.of[OF_P], exp(P[j] - L));
    }
    for (size_t c = 0; c < d; c++)
        O[c] = as(w.of[OF_O], O[c]);
}

/* What row i adds to the gradients. */
static void backward_row(rounding w, size_t i)
{
    static double P[N], dP[N], O[d];
    double D = 0;

    forward_row(w, i, P, O);
    for (size_t j = 0; j < N; j++) {
        dP[j] = product_as(w.of[OF_DP], dO[i], V[j]);
        D += w.D_of_P ? P[j] * dP[j] : 0;
    }
    for (size_t c = 0; c < d && !w.D_of_P; c++)
        D += (double)dO[i][c] * O[c];
    D = as(w.of[OF_D], D);
    for (size_t j = 0; j < N; j++) {
        double ds = 0.125 * as(w.of[OF_DS], P[j] * (dP[j] - D));

        for (size_t c = 0; c < d; c++) {
            got[0][i][c] += ds * (double)K[j][c];
            got[1][j][c] += ds * (double)Q[i][c];
            got[2][j][c] += P[j] * (double)dO[i][c];
        }
    }
}

/* Cells of a row: the errors of the first n of dQ, dK and dV. */
static void print_errors(rounding w, size_t n)
{
    memset(got, 0, sizeof got);
    for (size_t i = 0; i < N; i++)
        backward_row(w, i);
    for (size_t k = 0; k < n; k++) {
        double above = 0, below = 0;

        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < d; c++) {
                above += pow(got[k][i][c] - want[k][i][c], 2);
                below += pow(want[k][i][c], 2);
            }
        printf(" %.1e |", sqrt(above / below));
    }
}

static int print_alone(void)
{
    if (make(0))
        return 1;
    puts("| only this quantity | computed in fp32: dQ | computed in fp32: dK | "
         "computed in fp32: dV | rounded to bf16: dQ | rounded to bf16: dK | "
         "rounded to bf16: dV |\n|---|--:|--:|--:|--:|--:|--:|");
    for (size_t k = 0; k < QUANTITIES; k++) {
        printf("| %s |", names[k]);
        for (type t = SINGLE; t <= BRAIN; t++) {
            rounding w = {.D_of_P = false};

            w.of[k] = t;
            print_errors(w, 3);
        }
        puts("");
    }
    return 0;
}

/* P, dS and O in bf16, as in training with mixed precision. */
static int print_means(void)
{
    rounding w = {.of = {[OF_P] = BRAIN, [OF_DS] = BRAIN, [OF_O] = BRAIN}};

    puts("| mean of V | D = dO · O: dQ | D = dO · O: dK | "
         "D = Σ P dP: dQ | D = Σ P dP: dK |\n|---|--:|--:|--:|--:|");
    for (double c = 0; c <= 100; c = c > 0 ? c * 10 : 1) {
        if (make(c))
            return 1;
        printf("| %g |", c);
        for (int of_P = 0; of_P < 2; of_P++) {
            w.D_of_P = of_P;
            print_errors(w, 2);
        }
        puts("");
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const known[] = {"alone", "mean", NULL};
    int word = word_given(argc, argv, known), failed;

    if (word == 2)
        return refused(2, "backward_precision", "alone or mean?");
    if (word < 0)
        return 2;
    failed = word == 0 ? print_alone() : print_means();
    if (failed)
        fprintf(stderr, "float64: out of memory\n");
    return report_end(failed);
}
