/*
 * Standard attention in three calls per head; a BLAS library computes the two
 * products:
 *
 *     S = scale Q K^T     cblas_sgemm
 *     P = e^S / 2^m       row by row, with the e^x of flash2_lanes
 *     O = P V             cblas_sgemm; then divides by the row sums of P
 *
 * Each thread computes different heads. The library must use one thread.
 * With a causal limit both products are still computed in full.
 */
#include <stdlib.h>

#include "06_flash2/fast/lanes.h"
#include "common/threads.h"
#include "docs/lab/three_calls.h"

/* Constants of cblas.h, which may not be installed. */
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };
static sgemm_fn *sgemm;

void set_sgemm(sgemm_fn *cblas_sgemm)
{
    sgemm = cblas_sgemm;
}

/* A row has 32 independent maxima and sums, so that compilers vectorise. */
enum { LANES = 32 };

static size_t in_lanes(size_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

static inline void take_larger(float max[LANES], const float s[LANES])
{
    for (size_t x = 0; x < LANES; x++)
        max[x] = larger(s[x], max[x]);
}

static inline void weigh_and_add(float s[LANES], float m, float l[LANES])
{
    for (size_t x = 0; x < LANES; x++) {
        s[x] = exp_over(s[x], m);
        l[x] += s[x];
    }
}

/* Replaces the first n of the cols elements of s by e^s 2^-m, where m is near
 * the maximum of s / ln 2. Sets the other elements to 0. Returns 1 / the sum of
 * the elements. */
static float weigh(float *s, size_t n, size_t cols)
{
    float max[LANES], l[LANES] = {0}, m, sum = 0;

    for (size_t j = n; j < cols; j++)
        s[j] = -INFINITY;
    memcpy(max, s, sizeof max);
    for (size_t j = LANES; j < cols; j += LANES)
        take_larger(max, s + j);
    for (size_t x = 1; x < LANES; x++)
        max[0] = larger(max[x], max[0]);
    m = round_log2(max[0]);
    for (size_t j = 0; j < cols; j += LANES)
        weigh_and_add(s + j, m, l);
    for (size_t x = 0; x < LANES; x++)
        sum += l[x];
    return 1 / sum;
}

/* Returns the thread's buffer of n floats, or NULL. */
static float *room(size_t n)
{
    static _Thread_local float *kept;
    static _Thread_local size_t size;

    if (n > size) {
        free(kept);
        kept = malloc(n * sizeof *kept);
        size = kept ? n : 0;
    }
    return kept;
}

static int attend_head(const void *job, size_t nth, memory *mem)
{
    const head whole = head_at(job, nth), *h = &whole;
    int Nq = (int)h->Nq, Nk = (int)h->Nk, d = (int)h->d, dv = (int)h->dv;
    size_t cols = in_lanes(h->Nk);
    float *inverse = room(h->Nq + h->Nq * cols), *S;

    if (!inverse)
        return mem->error = MEMORY_FULL;
    S = inverse + h->Nq;
    sgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, Nq, Nk, d, h->scale,
          h->Q.hbm.data, d, h->K.hbm.data, d, 0, S, (int)cols);
    for (size_t i = 0; i < h->Nq; i++)
        inverse[i] = weigh(S + i * cols, seen(h, one(i)), cols);
    sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, Nq, dv, Nk, 1, S, (int)cols,
          h->V.hbm.data, dv, 0, h->O.hbm.data, dv);
    for (size_t i = 0; i < h->Nq; i++)
        for (size_t c = 0; c < h->dv; c++)
            row(h->O.hbm, i)[c] *= inverse[i];
    return MEMORY_OK;
}

int three_calls(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return run_on_threads(attend_head, l, heads_of(l), mem);
}
