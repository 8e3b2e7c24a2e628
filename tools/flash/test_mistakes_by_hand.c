/*
 * Tests known mistakes in masks, limits, scores and gradients. The outputs with
 * a mistake are computed here by the definitions, without the reference.
 */
#include "tools/flash/known_mistakes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"

enum { B = 2, HQ = 4, HK = 2, N = 37, D = 12, OFFSET = 5, W = 9 };

/* Parts of a problem. LOW is a mask of about -150 and -95 in some rows. */
enum {
    CAUSAL = 1,
    MASKED = 2,
    WINDOW = 4,
    SOFTCAP = 8,
    ALIBI = 16,
    SINK = 32,
    LOW = 64,
    SQUARE = 128, /* the causal offset is 0 */
    FINITE = 256  /* the mask is 0 or -1e9 */
};

typedef struct {
    const char *test;
    int with;
    const char *mistake;
    size_t nth;        /* a query head that the mistake makes wrong */
    const char *match; /* the mistake that must match */
} entry;

static const entry *now;
static float masks[N * N], sinks[HQ] = {1, -1, 2, 0.5f};

static bool is(const char *mistake)
{
    return strcmp(now->mistake, mistake) == 0;
}

static bool has(int part)
{
    return (now->with & part) != 0;
}

/* --- The problem ---------------------------------------------------------- */

static void make_problem(backward_problem *b)
{
    const problem_sizes sizes = {B, HQ, HK, N, N, D, D, 58};
    problem *p = &b->forward;
    head *h = &p->layer.each;

    *b = (backward_problem){.known = 0};
    assert_int_equal(problem_random(p, &sizes), 0);
    assert_int_equal(backward_problem_set_up(b), 0);
    for (size_t n = 0; n < N * N; n++)
        masks[n] = has(LOW)      ? (float[]){0, -150, -95}[n / N % 3]
                   : n % 7 < 2   ? (has(FINITE) ? -1e9f : -INFINITY)
                   : has(FINITE) ? 0
                                 : (float)(n % 5) / 4;
    h->rule = (rule){.causal = has(CAUSAL),
                     .offset = has(SQUARE) ? 0 : OFFSET,
                     .window = has(WINDOW) ? W : 0,
                     .softcap = has(SOFTCAP) ? 1 : 0};
    if (has(MASKED) || has(LOW))
        h->rule.mask = hbm_of(masks, N, N);
    p->layer.mask_B = p->layer.mask_H = 1;
    p->layer.alibi = has(ALIBI);
    p->sinks = has(SINK) ? sinks : NULL;
}

/* --- Attention by hand ---------------------------------------------------- */

static long distance(size_t i, size_t j)
{
    return (long)i + (has(SQUARE) ? 0 : OFFSET) - (long)j;
}

static bool sees(size_t i, size_t j)
{
    bool limit = is("transposed")           ? distance(i, j) <= 0
                 : is("transposed, corner") ? j >= i
                 : is("strict")             ? distance(i, j) > 0
                 : is("strict, corner")     ? j < i
                                            : distance(i, j) >= 0;

    if (is("last key") && j == N - 1)
        return false;
    if (has(MASKED) && !is("no mask") && masks[i * N + j] < -1e8f)
        return false;
    if (has(WINDOW) && !is("no window") && labs(distance(i, j)) >= W)
        return false;
    return !has(CAUSAL) || limit;
}

static double score(const problem *p, size_t nth, size_t i, size_t j)
{
    size_t b = is("batch 0") ? 0 : nth / HQ, h = nth % HQ;
    size_t kv = b * HK + (is("head 0") ? 0 : h / (HQ / HK));
    double s = 0;

    for (size_t c = 0; c < D; c++)
        s += (double)p->Q.data[(nth * N + i) * D + c] *
             (double)p->K.data[(kv * N + j) * D + c];
    s *= is("times sqrt(d)") ? sqrt(D) : 1 / sqrt(is("d_model") ? HQ * D : D);
    if (has(SOFTCAP) && !is("no softcap"))
        s = tanh(s);
    if (has(ALIBI) && !is("no ALiBi"))
        s -= exp2(-8.0 * (double)(h + 1) / (double)HQ) *
             fabs((double)distance(i, j));
    if ((has(MASKED) && !is("no mask") && masks[i * N + j] > -1e8f) || has(LOW))
        s += (double)masks[i * N + j];
    return s;
}

/* Computes the weights of all queries. Each row is divided by its sum. */
static void weigh(const problem *p, size_t nth, double P[N][N])
{
    double columns[N] = {0};

    for (size_t i = 0; i < N; i++) {
        double l =
            has(SINK) && !is("no sink") ? exp((double)sinks[nth % HQ]) : 0;

        for (size_t j = 0; j < N; j++) {
            P[i][j] = exp(score(p, nth, i, j));
            if (!sees(i, j) && !is("late"))
                P[i][j] = is("score 0") ? 1 : 0;
            l += P[i][j];
            columns[j] += P[i][j];
            if (!sees(i, j) && is("late"))
                P[i][j] = 0;
        }
        for (size_t j = 0; j < N && !is("columns"); j++)
            P[i][j] /= l;
    }
    for (size_t n = 0; n < N * N && is("columns"); n++)
        P[n / N][n % N] /= columns[n % N];
}

static void attend(problem *p, size_t nth, double P[N][N])
{
    size_t b = is("batch 0") ? 0 : nth / HQ;
    size_t kv = b * HK + (is("head 0") ? 0 : nth % HQ / (HQ / HK));

    for (size_t n = 0; n < N * D; n++) {
        double sum = 0;

        for (size_t j = 0; j < N; j++)
            sum += P[n / D][j] * (double)p->V.data[(kv * N + j) * D + n % D];
        p->O.data[nth * N * D + n] = (float)sum;
    }
}

/* As in fp32, with a maximum that begins at a number of about 0. */
static void weigh_from(float first, const problem *p, size_t nth,
                       double P[N][N])
{
    for (size_t i = 0; i < N; i++) {
        float m = first, l = 0, w[N];

        for (size_t j = 0; j < N; j++)
            m = fmaxf(m, (float)score(p, nth, i, j));
        for (size_t j = 0; j < N; j++) {
            w[j] = expf((float)score(p, nth, i, j) - m);
            l += w[j];
        }
        for (size_t j = 0; j < N; j++)
            P[i][j] = is("m = 0, guarded") && l == 0 ? 0 : (double)(w[j] / l);
    }
}

static void check_output(const void *row)
{
    double P[N][N], right[N * D], L[N];
    backward_problem b;
    problem *p = &b.forward;
    head h;

    now = row;
    make_problem(&b);
    h = head_at(&p->layer, now->nth);
    for (size_t nth = 0; nth < B * HQ; nth++) {
        if (is("m = FLT_MIN"))
            weigh_from(FLT_MIN, p, nth, P);
        else if (is("m = 0") || is("m = 0, guarded"))
            weigh_from(0, p, nth, P);
        else
            weigh(p, nth, P);
        attend(p, nth, P);
    }
    assert_int_equal(reference_attention(&h, right, L), 0);
    reference_add_sink(sink_of(p, now->nth), N, D, right, L);
    if (strcmp(now->match, "none") == 0)
        assert_all_close(p->O.data + now->nth * N * D, right, N * D, 1e-5);
    for (size_t k = 0; k < KNOWN_MISTAKES; k++) {
        size_t Bc;
        int fits = known_mistakes[k].of & OF_O &&
                   mistake_fits(k, p, now->nth, p->O.data, right, L, &Bc);

        if (fits != (strcmp(known_mistakes[k].name, now->match) == 0))
            fail_msg("%s, %d: %s fits: %d", now->mistake, now->with,
                     known_mistakes[k].name, fits);
    }
    backward_free(&b);
}

/* --- Gradients by hand ---------------------------------------------------- */

static void add_product(float *to, double x, const float *y)
{
    for (size_t c = 0; c < D; c++)
        to[c] += (float)x * y[c];
}

static void differentiate(backward_problem *b, size_t nth)
{
    const problem *p = &b->forward;
    size_t kv = nth / HQ * HK + nth % HQ / (HQ / HK);
    const float *dO = b->dO.data + nth * N * D, *V = p->V.data + kv * N * D;
    const float *Q = p->Q.data + nth * N * D, *K = p->K.data + kv * N * D;
    float *dQ = b->dQ.data + nth * N * D, *dK = b->dK.data + kv * N * D;
    float *dV = b->dV.data + kv * N * D;
    double P[N][N], dP[N][N], scale = 1 / sqrt(is("d_model") ? HQ * D : D);

    weigh(p, nth, P);
    for (size_t i = 0; i < N; i++) {
        double Di = 0;

        for (size_t j = 0; j < N; j++) {
            dP[i][j] = 0;
            for (size_t c = 0; c < D; c++)
                dP[i][j] += (double)dO[i * D + c] * (double)V[j * D + c];
            Di += P[i][j] * dP[i][j];
        }
        for (size_t j = 0; j < N; j++) {
            double dS = P[i][j] * (dP[i][j] - (is("no D") ? 0 : Di));
            double t =
                has(SOFTCAP) && !is("no softcap") ? score(p, nth, i, j) : 0;
            bool late = is("dK not transposed") || is("neither transposed");
            bool late_V = is("neither transposed");

            dS *= 1 - t * t;
            add_product(
                dQ + i * D,
                dS * (is("dS unscaled") || is("dQ unscaled") ? 1 : scale),
                K + j * D);
            add_product(
                (is("dK and dV swapped") ? dV : dK) + (late ? i : j) * D,
                dS * (is("dS unscaled") || is("dK unscaled") ? 1 : scale),
                Q + (late ? j : i) * D);
            add_product((is("dK and dV swapped") ? dK : dV) +
                            (late_V ? i : j) * D,
                        P[i][j], dO + (late_V ? j : i) * D);
        }
    }
}

static void check_gradients(const void *row)
{
    static const bool given[][3] = {{true, true, true}, {false, true, false}};
    bool only_dQ;
    backward_problem b;

    now = row;
    only_dQ = is("dQ unscaled");
    make_problem(&b);
    problem_gradient_errors(&b); /* computes the gradients in float64 */
    memset(b.dQ.data, 0, b.dQ.size * sizeof(float));
    memset(b.dK.data, 0, b.dK.size * sizeof(float));
    memset(b.dV.data, 0, b.dV.size * sizeof(float));
    for (size_t nth = 0; nth < B * HQ; nth++)
        differentiate(&b, nth);
    if (strcmp(now->match, "none") == 0)
        assert_close(worst_gradient_error(problem_gradient_errors(&b)), 0,
                     1e-5);
    for (size_t k = 0; k < KNOWN_MISTAKES; k++)
        for (int n = only_dQ ? 1 : 0; n < 2; n++) {
            int fits = known_mistakes[k].of & OF_GRADIENTS &&
                       gradient_mistake_fits(k, &b, HQ + 2, given[1 - n], 1e-5);

            if (fits != (strcmp(known_mistakes[k].name, now->match) == 0))
                fail_msg("%s, %d: %s fits: %d", now->mistake, now->with,
                         known_mistakes[k].name, fits);
        }
    backward_free(&b);
}

static void check_entry(const void *row)
{
    const entry *e = row;

    if (e->nth == SIZE_MAX)
        check_gradients(row);
    else
        check_output(row);
}

int main(void)
{
    enum { EVERY = CAUSAL | MASKED | WINDOW | SOFTCAP | ALIBI };
    static const entry entries[] = {
        {"right_outputs_match_no_mistake", 0, "none", 1, "none"},
        {SAME_TEST, CAUSAL, "none", 1, "none"},
        {SAME_TEST, CAUSAL | MASKED, "none", 1, "none"},
        {SAME_TEST, WINDOW | SOFTCAP, "none", 1, "none"},
        {SAME_TEST, ALIBI | SINK, "none", 7, "none"},
        {SAME_TEST, EVERY, "none", 6, "none"},
        {SAME_TEST, LOW, "none", 6, "none"},
        {"a_wrong_scale_is_named", 0, "times sqrt(d)", 1, "scale-inverted"},
        {SAME_TEST, EVERY, "times sqrt(d)", 1, "scale-inverted"},
        {SAME_TEST, 0, "d_model", 1, "scale-of-d-model"},
        {SAME_TEST, CAUSAL, "d_model", 6, "scale-of-d-model"},
        {"a_part_that_is_left_out_is_named", SOFTCAP, "no softcap", 1,
         "softcap-forgotten"},
        {SAME_TEST, EVERY, "no softcap", 1, "softcap-forgotten"},
        {SAME_TEST, ALIBI, "no ALiBi", 1, "alibi-forgotten"},
        {SAME_TEST, EVERY, "no ALiBi", 1, "alibi-forgotten"},
        {SAME_TEST, SINK, "no sink", 1, "sink-forgotten"},
        {SAME_TEST, EVERY | SINK, "no sink", 2, "sink-forgotten"},
        {SAME_TEST, MASKED, "no mask", 1, "mask-forgotten"},
        {SAME_TEST, CAUSAL | MASKED, "no mask", 1, "mask-forgotten"},
        {SAME_TEST, WINDOW, "no window", 1, "mask-forgotten"},
        {"a_limit_that_is_applied_wrongly_is_named", CAUSAL, "late", 1,
         "mask-after-softmax"},
        {SAME_TEST, WINDOW, "late", 1, "mask-after-softmax"},
        {SAME_TEST, CAUSAL, "score 0", 1, "masked-score-0"},
        {SAME_TEST, MASKED, "score 0", 1, "masked-score-0"},
        {SAME_TEST, EVERY, "score 0", 1, "masked-score-0"},
        {SAME_TEST, MASKED | FINITE, "score 0", 1, "masked-score-0"},
        {SAME_TEST, MASKED | FINITE, "late", 1, "mask-after-softmax"},
        {SAME_TEST, MASKED | FINITE, "no mask", 1, "mask-forgotten"},
        {SAME_TEST, CAUSAL, "transposed", 1, "causal-transposed"},
        {SAME_TEST, CAUSAL, "transposed, corner", 1, "causal-transposed"},
        {SAME_TEST, CAUSAL | SQUARE, "transposed", 1, "causal-transposed"},
        {SAME_TEST, CAUSAL, "strict", 1, "mask-off-by-one"},
        {SAME_TEST, CAUSAL, "strict, corner", 1, "mask-off-by-one"},
        {SAME_TEST, CAUSAL | SQUARE, "strict", 1, "mask-off-by-one"},
        {"a_softmax_over_queries_is_named", 0, "columns", 1,
         "softmax-over-queries"},
        {SAME_TEST, CAUSAL | SQUARE, "columns", 1, "softmax-over-queries"},
        {"a_maximum_that_starts_at_0_is_named", LOW, "m = 0", 1,
         "m-starts-at-0"},
        {SAME_TEST, LOW, "m = FLT_MIN", 1, "m-starts-at-0"},
        {SAME_TEST, LOW, "m = 0, guarded", 1, "m-starts-at-0"},
        {"a_wrong_key_head_is_named", 0, "head 0", 3, "key-head-0"},
        {SAME_TEST, CAUSAL, "head 0", 7, "key-head-0"},
        {SAME_TEST, 0, "batch 0", 5, "key-head-0"},
        {"a_lost_last_key_is_named", 0, "last key", 1, "last-key"},
        {SAME_TEST, CAUSAL | SQUARE, "last key", 1, "last-key"},
        {"right_gradients_match_no_mistake", 0, "none", SIZE_MAX, "none"},
        {SAME_TEST, CAUSAL | SOFTCAP, "none", SIZE_MAX, "none"},
        {SAME_TEST, SINK | MASKED, "none", SIZE_MAX, "none"},
        {"mistakes_in_gradients_are_named", 0, "no D", SIZE_MAX,
         "ds-without-d"},
        {SAME_TEST, CAUSAL, "no D", SIZE_MAX, "ds-without-d"},
        {SAME_TEST, 0, "dS unscaled", SIZE_MAX, "ds-unscaled"},
        {SAME_TEST, 0, "dQ unscaled", SIZE_MAX, "ds-unscaled"},
        {SAME_TEST, CAUSAL, "dK unscaled", SIZE_MAX, "ds-unscaled"},
        {SAME_TEST, 0, "dK not transposed", SIZE_MAX, "ds-not-transposed"},
        {SAME_TEST, CAUSAL, "neither transposed", SIZE_MAX,
         "ds-not-transposed"},
        {SAME_TEST, 0, "dK and dV swapped", SIZE_MAX, "dk-dv-swapped"},
        {SAME_TEST, MASKED, "no mask", SIZE_MAX, "mask-forgotten"},
        {SAME_TEST, SOFTCAP, "no softcap", SIZE_MAX, "softcap-forgotten"},
        {SAME_TEST, ALIBI, "no ALiBi", SIZE_MAX, "alibi-forgotten"},
        {SAME_TEST, SINK, "no sink", SIZE_MAX, "sink-forgotten"},
        {SAME_TEST, 0, "d_model", SIZE_MAX, "scale-of-d-model"},
    };

    return run_table("mistakes by hand", check_entry, entries);
}
