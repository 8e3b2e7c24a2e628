/*
 * Chapter 03's merge, for a whole row of attention: what one query came to by
 * some keys, and by other keys, becomes what it came to by all of them.
 *
 *     m' = max(m, m_p)     l' = l e^{m - m'} + l_p e^{m_p - m'}
 *     o' = o e^{m - m'} + o_p e^{m_p - m'}
 *
 * Associative and commutative, with (-inf, 0, 0) that changes nothing: so the
 * keys may lie on any machine, and their parts come in any order.
 * docs/ring.md
 */
#ifndef RING_MERGE_H
#define RING_MERGE_H

#include "common/exp_minus.h"
#include "common/head.h"

/* ANCHOR: merge */
/* all = (m, l, o_0 .. o_{dv-1}), changed; the part's o alike. */
static inline void merge(float *all, float m_part, float l_part,
                         const float *o_part, size_t dv)
{
    float m = fmaxf(all[0], m_part);
    float alpha = exp_minus(all[0], m); /* what the past is worth now */
    float beta = exp_minus(m_part, m);  /* what the part is worth */

    all[0] = m;
    all[1] = alpha * all[1] + beta * l_part;
    rescale(all + 2, alpha, dv);
    axpy(all + 2, beta, o_part, dv);
}
/* ANCHOR_END: merge */

/*
 * One head's queries against a chunk of its keys, merged into the result: h->Nq
 * rows (m, l, o_0 .. o_{dv-1}), of which o is stored as h->stored. h->O and h->L
 * are not touched. Returns mem->error; the caller resets mem.
 */
int attend_chunk(const head *h, matrix result, memory *mem);

#endif
