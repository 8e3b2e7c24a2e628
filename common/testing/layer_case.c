/* Makes a layer of cases (layer_case.h). */
#include "common/testing/layer_case.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns a contiguous copy of one array of every `group`-th head: the array at
 * this offset in head. */
static float *gather(const attention_case cases[], size_t n, size_t group,
                     size_t offset)
{
    float *all = NULL, *end = NULL;

    for (size_t k = 0; k < n; k += group) {
        const array *a = (const void *)((const char *)&cases[k].h + offset);
        size_t size = a->hbm.rows * a->hbm.cols;

        if (!a->hbm.data)
            return NULL;
        if (!all)
            all = end = case_block(tiles(n, group) * size, sizeof *all);
        memcpy(end, a->hbm.data, size * sizeof *all);
        end += size;
    }
    return all;
}

layer_case layer_of_cases(const attention_case cases[], size_t n, size_t group)
{
    layer_case lc = {
        .l = {1, n, n / group, 1, n, false, cases->h},
        .n = n,
        .Q = gather(cases, n, 1, offsetof(head, Q)),
        .K = gather(cases, n, group, offsetof(head, K)),
        .V = gather(cases, n, group, offsetof(head, V)),
        .mask = gather(cases, n, 1, offsetof(head, rule.mask)),
        .O = gather(cases, n, 1, offsetof(head, O)),
        .L = gather(cases, n, 1, offsetof(head, L)),
    };

    layer_give(&lc.l, lc.Q, lc.K, lc.V, lc.O, lc.L);
    lc.l.each.rule.mask.hbm.data = lc.mask;
    return lc;
}

void layer_to_cases(layer_case *lc, attention_case cases[])
{
    for (size_t k = 0; k < lc->n; k++) {
        head h = head_at(&lc->l, k);

        memcpy(cases[k].h.O.hbm.data, h.O.hbm.data,
               h.Nq * h.dv * sizeof(float));
        memcpy(cases[k].h.L.hbm.data, h.L.hbm.data, h.Nq * sizeof(float));
    }
    free(lc->Q);
    free(lc->K);
    free(lc->V);
    free(lc->mask);
    free(lc->O);
    free(lc->L);
}

void layer_check(const layer *l, const attention_step *s)
{
    for (size_t k = 0; k < heads_of(l); k++) {
        head h = head_at(l, k);
        auto_case c = case_of(h.Nq, h.Nk, h.d, h.dv);
        const head own = c.h;

        c.h = h;
        case_expect(&c, s);
        case_check(&c, s);
        c.h = own;
    }
}
