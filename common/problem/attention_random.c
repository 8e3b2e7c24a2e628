/*
 * Random Q, K and V (attention_arrays.h).
 */
#include "common/problem/attention_arrays.h"

#include "common/print/outside.h"
#include "common/problem/random.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Adds to the first element of each row a ramp from -height to height. */
static void tilt(npy_array *a, double height)
{
    size_t rows = a->shape[ROWS], cols = a->shape[COLS];

    for (size_t i = 0; cols && i < a->size / cols; i++)
        a->data[i * cols] +=
            (float)(height * (2.0 * (double)(i % rows) / (double)rows - 1));
}

int check_sizes(const random_sizes *s)
{
    const struct {
        const char *option;
        size_t size;
    } factors[] = {
        {"--batch", s->B},
        {s->Hk > s->Hq ? "--kv-heads" : "--heads", max_size(s->Hq, s->Hk)},
        {"--n", s->Nq},
        {"--nk", s->Nk},
        {s->dv > s->d ? "--dv" : "--d", max_size(s->d, s->dv)}};
    const size_t most = SIZE_MAX / 16; /* some formulas have an 8 N^2 d */
    size_t left = most;

    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        if (factors[k].size > left)
            return refused(2, factors[k].option,
                           "%zu is too large (batch, heads, n, nk and d may "
                           "have a product of %zu)",
                           factors[k].size, most);
        left /= max_size(factors[k].size, 1);
    }
    if (s->Hk == 0 ? s->Hq == 0 : s->Hq % s->Hk == 0)
        return 0;
    return refused(2, "--kv-heads",
                   "%zu query heads cannot share %zu (a whole multiple is "
                   "allowed)",
                   s->Hq, s->Hk);
}

int arrays_random(attention_arrays *a, const random_sizes *s)
{
    const size_t Q[] = {s->B, s->Hq, s->Nq, s->d};
    const size_t K[] = {s->B, s->Hk, s->Nk, s->d};
    const size_t V[] = {s->B, s->Hk, s->Nk, s->dv};
    random_source r = random_seed(s->seed);

    memset(a, 0, sizeof *a);
    if (check_sizes(s) != 0)
        return 2;
    if (npy_new(&a->Q, 4, Q) || npy_new(&a->K, 4, K) || npy_new(&a->V, 4, V))
        return 1;
    random_fill(&r, a->Q.data, a->Q.size, 3);
    random_fill(&r, a->K.data, a->K.size, 1);
    random_fill(&r, a->V.data, a->V.size, 1);
    tilt(&a->K, sqrt((double)s->d));
    return arrays_accept(a, "Q", "K", "V");
}
