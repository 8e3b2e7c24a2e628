/*
 * Runs flash2_simd on K and V in bf16. The threads convert K and V once per
 * head; flash2_simd itself reads Q and writes O in bf16. docs/library.md
 */
#include "06_flash2/fast/fast_steps.h"
#include "06_flash2/fast/simd_block.h"

extern const block_kernel FOR_TARGET(flash2_simd);

static size_t packed_floats(const head *h)
{
    return h->Nk * (h->d + h->dv);
}

static size_t state_floats(const head *h)
{
    return (h->d + h->dv + KEYS) * QUERIES;
}

static void widen(const array *a, span rows, float *to)
{
    size_t at = rows.first * a->hbm.cols, end = at + rows.n * a->hbm.cols;

    for (; at + W <= end; at += W)
        store_lanes(to + at, load_bf16(a->narrow + at));
    for (; at < end; at++)
        to[at] = from_bf16(a->narrow[at]);
}

static void pack_keys(const head *h, size_t j, float *packed)
{
    span keys = span_of(j * BC, min_size(BC, h->Nk - j * BC));

    widen(&h->K, keys, packed);
    widen(&h->V, keys, packed + h->Nk * h->d);
}

static bool attend_block(const head *all_queries, const head *next,
                         const float *packed, size_t i0, float *tile)
{
    size_t n = min_size(QUERIES, all_queries->Nq - i0);
    head h = head_of_queries(all_queries, span_of(i0, n));

    h.K = hbm_of((float *)packed, h.Nk, h.d);
    h.V = hbm_of((float *)packed + h.Nk * h.d, h.Nk, h.dv);
    return FOR_TARGET(flash2_simd).attend(&h, next, tile);
}

const bf16_kernel FOR_TARGET(widened) = {QUERIES,       FP32,         true,
                                         packed_floats, state_floats, pack_keys,
                                         attend_block,  NULL,         NULL};
