/*
 * A kernel, asked of a worker (remote_attention.h).
 */
#include "tools/grade/remote_attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
/* The numbers of a head; its arrays follow. */
static head numbers_of(const head *h)
{
    head n = *h;

    n.Q.hbm.data = n.K.hbm.data = n.V.hbm.data = n.O.hbm.data = NULL;
    n.L.hbm.data = n.mask.hbm.data = NULL;
    memset(&n.kept, 0, sizeof n.kept);
    return n;
}

static void say_array(array a)
{
    for (size_t i = 0; a.hbm.data && i < a.hbm.rows; i++)
        SAY_ALL(row(a.hbm, i), a.hbm.cols);
}

static void hear_array(array a)
{
    for (size_t i = 0; a.hbm.data && i < a.hbm.rows; i++)
        HEAR_ALL(row(a.hbm, i), a.hbm.cols);
}

int ask_attention(const head *h, memory *mem)
{
    head numbers = numbers_of(h);
    bool masked = h->mask.hbm.data;
    int error;

    SAY(numbers);
    SAY(masked);
    SAY(mem->M);
    say_array(h->Q);
    say_array(h->K);
    say_array(h->V);
    say_array(h->mask);
    exchange();
    HEAR(error);
    HEAR(mem->counts);
    HEAR(mem->on_chip);
    HEAR(mem->extra);
    hear_array(h->O);
    hear_array(h->L);
    if (error) {
        mem->error = error;
        strcpy(mem->message, "the submission refused");
    }
    return error;
}
#else
static void hear_array(array *a)
{
    float *x = heard_floats(a->hbm.rows * a->hbm.cols);

    a->hbm = matrix_of(x, a->hbm.rows, a->hbm.cols);
}

static void new_array(array *a)
{
    float *x = malloc(a->hbm.rows * a->hbm.cols * sizeof *x);

    a->hbm = matrix_of(x, a->hbm.rows, a->hbm.cols);
    fill(a->hbm, NAN);
}

void serve_attention(attention_fn *run)
{
    head h;
    memory mem;
    bool masked;
    size_t M;
    int error;

    HEAR(h);
    HEAR(masked);
    HEAR(M);
    hear_array(&h.Q);
    hear_array(&h.K);
    hear_array(&h.V);
    if (masked)
        hear_array(&h.mask);
    new_array(&h.O);
    new_array(&h.L);
    memory_init(&mem, M);
    error = run(&h, &mem);
    SAY(error);
    SAY(mem.counts);
    SAY(mem.on_chip);
    SAY(mem.extra);
    SAY_ALL(h.O.hbm.data, h.O.hbm.rows * h.O.hbm.cols);
    SAY_ALL(h.L.hbm.data, h.L.hbm.rows * h.L.hbm.cols);
    memory_reset(&mem);
    free(h.Q.hbm.data);
    free(h.K.hbm.data);
    free(h.V.hbm.data);
    free(h.mask.hbm.data);
    free(h.O.hbm.data);
    free(h.L.hbm.data);
}
#endif
