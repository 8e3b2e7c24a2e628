#include "common/lesson/narrow.h"

#include <stdlib.h>

#include "common/precision.h"
#include "common/print/outside.h"

static void narrow_into(uint16_t *to, precision type, npy_array *from, array *a,
                        size_t *rounded)
{
    a->type = type;
    a->narrow = to;
    for (size_t i = 0; i < from->size; i++) {
        float x = from->data[i];

        to[i] = to_narrow(type, x);
        from->data[i] = from_narrow(type, to[i]);
        *rounded += bits_of(x) != bits_of(from->data[i]);
    }
}

int problem_narrow(problem *p, precision type, bool queries, narrow_copy *n)
{
    head *h = &p->layer.each;
    uint16_t *k, *q;

    n->rounded = 0;
    n->bits = malloc((p->Q.size + p->K.size + p->V.size + 1) * sizeof *n->bits);
    if (!n->bits)
        return refused(1, "16 bits", "no memory for Q, K and V");
    k = n->bits + p->V.size;
    q = k + p->K.size;
    narrow_into(n->bits, type, &p->V, &h->V, &n->rounded);
    narrow_into(k, type, &p->K, &h->K, &n->rounded);
    if (queries)
        narrow_into(q, type, &p->Q, &h->Q, &n->rounded);
    return 0;
}
