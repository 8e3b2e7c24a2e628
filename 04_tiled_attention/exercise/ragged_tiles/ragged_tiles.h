/*
 * Exercise 04: any number of keys in tiles of Bc rows.
 *
 * docs/04_tiled_attention.md; the next hint: make hint-04 E=ragged_tiles
 */
#ifndef RAGGED_TILES_H
#define RAGGED_TILES_H

#include "common/scores.h"
#include "common/head.h"

/* The state of one query's row after some keys. */
typedef struct {
    float m, l;
    matrix o; /* 1 x dv, not yet divided by l */
} running_row;

/* Given: adds the keys of a tile to the row, as many as K and V have rows.
 * q: 1 x d, K: rows x d, V: rows x dv, on chip. */
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
 * To do: stores O of the head, without mask, causal limit and softcap, and does
 * not change L. The tiles of K and V have h->tile.Bc rows, which need not
 * divide h->Nk and may be more than h->Nk. Returns mem->error.
 *
 *   every key is attended once, and no row that is not a key
 *   only the rows that are needed are loaded: Nk rows of K and of V for each
 *   query
 */
int ragged_attention(const head *h, memory *mem);

#endif
