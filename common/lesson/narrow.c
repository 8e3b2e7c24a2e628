/*
 * Rounding K and V to 16 bits (narrow.h).
 */
#include "common/lesson/narrow.h"

#include <stdlib.h>

#include "common/precision.h"
#include "common/print/outside.h"

static void narrow_into(uint16_t *to, precision type, npy_array *from, array *a)
{
    a->type = type;
    a->narrow = to;
    for (size_t i = 0; i < from->size; i++) {
        to[i] = to_narrow(type, from->data[i]);
        from->data[i] = from_narrow(type, to[i]);
    }
}

int problem_narrow(problem *p, precision type, uint16_t **narrow)
{
    head *h = &p->layer.each;

    *narrow = malloc((p->K.size + p->V.size + 1) * sizeof **narrow);
    if (!*narrow)
        return refused(1, "--kv-type", "no memory for K and V in 16 bits");
    narrow_into(*narrow, type, &p->K, &h->K);
    narrow_into(*narrow + p->K.size, type, &p->V, &h->V);
    return 0;
}
