/*
 * Random Q, K and V (attention_arrays.h).
 */
#include "common/problem/attention_arrays.h"

#include "common/problem/random.h"

#include <math.h>
#include <string.h>

/* Adds to the first element of each row a ramp from -height to height. */
static void tilt(npy_array *a, double height)
{
    size_t rows = a->shape[ROWS], cols = a->shape[COLS];

    for (size_t i = 0; cols && i < a->size / cols; i++)
        a->data[i * cols] +=
            (float)(height * (2.0 * (double)(i % rows) / (double)rows - 1));
}

int arrays_random(attention_arrays *a, const random_sizes *s)
{
    const size_t Q[] = {s->B, s->Hq, s->Nq, s->d};
    const size_t K[] = {s->B, s->Hk, s->Nk, s->d};
    const size_t V[] = {s->B, s->Hk, s->Nk, s->dv};
    random_source r = random_seed(s->seed);

    memset(a, 0, sizeof *a);
    if (npy_new(&a->Q, 4, Q) || npy_new(&a->K, 4, K) || npy_new(&a->V, 4, V))
        return 1;
    random_fill(&r, a->Q.data, a->Q.size, 3);
    random_fill(&r, a->K.data, a->K.size, 1);
    random_fill(&r, a->V.data, a->V.size, 1);
    tilt(&a->K, sqrt((double)s->d));
    return arrays_accept(a, "Q", "K", "V");
}
