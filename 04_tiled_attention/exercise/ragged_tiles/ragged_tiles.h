/*
 * Exercise 04: any number of keys in tiles of Bc rows.
 *
 * docs/04_tiled_attention.md; the next hint: make hint-04 E=ragged_tiles
 */
#ifndef RAGGED_TILES_H
#define RAGGED_TILES_H

#include "common/scores.h"
#include "common/head.h"

/* The state of one query after some of the keys. */
typedef struct {
    float m, l;
    matrix o; /* 1 x dv, not yet divided by l */
} running_row;

/* Given: adds the K.rows keys of a tile to the state r of query q. q (1 x d),
 * K (K.rows x d) and V (K.rows x dv) are on chip. */
static inline void attend_tile(running_row *r, float scale, matrix q, matrix K,
                               matrix V)
{
    for (size_t j = 0; j < K.rows; j++) {
        float s = scale * dot(q.data, row(K, j), K.cols);
        float m_new = fmaxf(r->m, s);
        float alpha = exp_minus(r->m, m_new), p = exp_minus(s, m_new);

        r->l = alpha * r->l + p;
        scale_row(r->o.data, alpha, r->o.cols);
        axpy(r->o.data, p, row(V, j), V.cols);
        r->m = m_new;
    }
}

/*
 * To do: store O of the head, which has no mask, causal limit or softcap. Do
 * not change L. The tiles of K and V have h->tile.Bc rows. This number need not
 * divide h->Nk, and may be larger than h->Nk. Returns mem->error.
 *
 *   every key is attended exactly once, and no row after the last key is
 *   attended
 *   for each query exactly Nk rows of K and Nk rows of V are loaded
 */
int ragged_attention(const head *h, memory *mem);

#endif
