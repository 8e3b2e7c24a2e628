/*
 * FlashAttention-2 with a block mask: skips tiles in which all blocks are 0.
 *
 * Changed since flash2: the test for a visible tile also reads the block mask,
 * and in a visible tile the scores in blocks of 0 become -inf. Blocks and tiles
 * may have different sizes.
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 5, in which each tile is a block.
 * The line numbers in the comments are those of FlashAttention-2's Algorithm 1.
 * docs/variants.md
 */
#include "06_flash2/variants/block_mask.h"

#include "06_flash2/variants/steps.h"
#include "common/scores.h"

/* ANCHOR: empty */
bool blocks_are_empty(const block_mask *b, span i, span j)
{
    for (size_t r = i.first / b->size; r < tiles(i.first + i.n, b->size); r++)
        for (size_t c = j.first / b->size; c < tiles(j.first + j.n, b->size);
             c++)
            if (row(b->of, r)[c] != 0)
                return false;
    return true;
}
/* ANCHOR_END: empty */

static void mask_blocks(const block_mask *b, matrix S, span i, span j)
{
    for (size_t r = 0; r < i.n; r++)
        for (size_t k = 0; k < j.n; k++)
            if (row(b->of, (i.first + r) / b->size)[(j.first + k) / b->size] ==
                0)
                row(S, r)[k] = -INFINITY;
}

/* ANCHOR: kernel */
int flash2_block_mask(const block_mask *b, const head *h, memory *mem)
{
    /* lines 1, 2: the tiles of Q, K, V and O fit in M elements */
    tile_sizes t = trimmed(h, flash2_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    /* line 3: tiles of queries are independent of each other */
    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        load(mem, &Q, h->Q, i); /* line 4: Q is loaded once */
        clear(&O, i);           /* line 5: O, m and l stay on chip */
        fill_floats(m, i, -INFINITY);
        fill_floats(l, i, 0);
        /* line 6: loop over the keys that these queries see */
        for (span j = first(seen(h, i), t.Bc); j.n; j = next(j)) {
            if (!visible(h, i, j) || blocks_are_empty(b, i, j))
                continue; /* these queries see none of the keys */
            /* load: line 7; K and V are only read */
            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            /* scores: line 8 */
            scores(h, mem, &S, Q, K, i, j);
            mask_blocks(b, S, i, j);
            /* update: m, P~ and l by line 9, O by line 10 */
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_new = fmaxf(m[r], max_of(s, j.n));
                float l_tile = exponentiate(mem, h, s, j.n, m_new);
                float alpha = rescale_factor(mem, m[r], m_new);

                l[r] = alpha * l[r] + l_tile;
                weighted_sum(pv, s, V);
                rescale(mem, o, alpha, h->dv); /* the paper has 1 / alpha */
                axpy(o, 1, pv, h->dv);
                m[r] = m_new;
            }
        }
        /* finish */
        for (size_t r = 0; r < i.n; r++) {
            divide(mem, row(O, r), l[r], h->dv); /* line 12: once per row */
            m[r] += logf(l[r]);                  /* line 13: m is L now */
        }
        store(mem, h->O, i, O); /* lines 14, 15 */
        store_floats(mem, h->L, i, m);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
