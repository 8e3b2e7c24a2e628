#include "06_flash2/fast/key_parts.h"

#include <math.h>

#include "06_flash2/fast/base2.h"
#include "06_flash2/fast/query_blocks.h"
#include "common/scores.h"
#include "common/threads.h"

typedef struct {
    part_kernel *attend;
    const layer *l;
    size_t parts; /* parts per head */
    matrix state; /* heads * parts * Nq rows of dv + 3: O, max, m, l */
} split_job;

static float *state_of(const split_job *job, size_t k, size_t part, size_t i)
{
    size_t Nq = job->l->each.Nq;

    return row(job->state, (k * job->parts + part) * Nq + i);
}

static int attend_part(const void *job, size_t at, memory *mem)
{
    const split_job *split = job;
    size_t k = at / split->parts, part = at % split->parts, j0 = part * PART;
    head h = head_at(split->l, k);
    matrix q = scratch(mem, 1, h.d);

    if (mem->error)
        return mem->error;
    for (size_t i = 0; i < h.Nq; i++) {
        float *state = state_of(split, k, part, i);
        partial p = {state, -INFINITY, -most_m, 0};
        size_t from = max_size(j0, seen_from(&h, one(i)));
        size_t end = min_size(j0 + PART, seen(&h, one(i)));

        fill(matrix_of(p.O, 1, h.dv), 0);
        for (size_t c = 0; c < h.d; c++)
            q.data[c] =
                h.scale * (only_narrow(&h.Q)
                               ? from_narrow(h.Q.type, h.Q.narrow[i * h.d + c])
                               : row(h.Q.hbm, i)[c]);
        if (from < end)
            split->attend(&h, q.data, i, from, end, &p);
        state[h.dv] = p.max;
        state[h.dv + 1] = p.m;
        state[h.dv + 2] = p.l;
    }
    return mem->error;
}

/* Computes row i of O in o. Merges as in chapter 03 but with m in base 2.
 * Returns false if l or an element of o is NaN or infinite, or if |max| is too
 * large. */
static bool merge_row(const split_job *split, const head *h, size_t k, size_t i,
                      float *o)
{
    float max = -INFINITY, check = 0;
    float m = -most_m, l = 0;

    fill(matrix_of(o, 1, h->dv), 0);
    for (size_t part = 0; part < split->parts; part++) {
        const float *state = state_of(split, k, part, i);
        float m_part = state[h->dv + 1], m_new = fmaxf(m, m_part);
        float alpha = exp2f(m - m_new), beta = exp2f(m_part - m_new);

        max = fmaxf(max, state[h->dv]);
        l = alpha * l + beta * state[h->dv + 2];
        scale_row(o, alpha, h->dv);
        axpy(o, beta, state, h->dv);
        m = m_new;
    }
    scale_row(o, inverse(l), h->dv);
    *row(h->L.hbm, i) = m * ln2 + (m * ln2_rest + logf(l));
    for (size_t c = 0; c < h->dv; c++)
        check += o[c] * 0;
    return check + l * 0 == 0 &&
           (max == -INFINITY || fabsf(max) < most_m * ln2);
}

/* If P, O or L is not in fp32, or if merge_row returns false, flash2 computes
 * the query. */
static int merge_head(const void *job, size_t k, memory *mem)
{
    const split_job *split = job;
    head h = head_at(split->l, k);
    bool narrow = only_narrow(&h.O);
    matrix own = narrow ? scratch(mem, 1, h.dv) : (matrix){0};

    for (size_t i = 0; i < h.Nq && !mem->error; i++) {
        head query = head_of_queries(&h, one(i));
        float *o = narrow ? own.data : row(h.O.hbm, i);

        if (!in_fp32(&h) || !merge_row(split, &h, k, i, o)) {
            by_flash2(&query, FP32, mem);
            continue;
        }
        for (size_t c = 0; narrow && c < h.dv; c++)
            query.O.narrow[c] = to_bf16(o[c]);
    }
    return mem->error;
}

int attend_parts(part_kernel *attend, const layer *l, memory *mem)
{
    size_t n = heads_of(l), parts = tiles(l->each.Nk, PART);
    split_job split = {attend, l, parts, {0}};

    if (n == 0)
        return MEMORY_OK;
    split.state =
        hbm_scratch(mem, n * parts * l->each.Nq, l->each.dv + 3, FP32).hbm;
    if (mem->error ||
        run_on_threads(attend_part, &split, n * parts, mem) != MEMORY_OK)
        return mem->error;
    return run_on_threads(merge_head, &split, n, mem);
}
