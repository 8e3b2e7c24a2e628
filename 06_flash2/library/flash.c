/*
 * The library (flash.h): looks at what it is given, lays it out as a layer, and
 * runs the fast steps of chapter 06. docs/library.md
 */
#include "06_flash2/library/flash.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/problem/heads.h"
#include "common/threads.h"

/* --- What is asked for ----------------------------------------------------- */

static int refuse(char *text, const char *why)
{
    if (text)
        snprintf(text, FLASH_TEXT, "%s", why);
    return FLASH_INVALID;
}

/* Do so many floats fit into memory's addresses? */
static int fits(size_t a, size_t b, size_t c, size_t d)
{
    double most = (double)PTRDIFF_MAX / 2 / sizeof(float);

    return (double)a * (double)b * (double)c * (double)d <= most;
}

static int check(const flash_problem *p, char *text)
{
    if (text)
        *text = '\0';
    if (!p || p->size != sizeof *p)
        return refuse(text, "size is not sizeof(flash_problem)");
    if (p->kv_type != FLASH_FP32)
        return refuse(text, "kv_type is not FLASH_FP32");
    if (p->d == 0 || p->dv == 0)
        return refuse(text, "d and dv are 1 or more");
    if (p->Hk == 0 ? p->Hq != 0 : p->Hq % p->Hk != 0)
        return refuse(text, "Hq is not a multiple of Hk");
    if (!fits(p->B, p->Hq, p->Nq, p->d) || !fits(p->B, p->Hq, p->Nq, p->dv) ||
        !fits(p->B, p->Hk, p->Nk, p->d) || !fits(p->B, p->Hk, p->Nk, p->dv))
        return refuse(text, "the sizes are larger than memory");
    if (!isfinite(p->scale))
        return refuse(text, "scale is not a finite number");
    if (!(p->softcap >= 0) || !isfinite(p->softcap))
        return refuse(text, "softcap is not a finite number, 0 or more");
    if (p->threads < 0)
        return refuse(text, "threads is negative");
    return FLASH_OK;
}

/* --- Arrays ---------------------------------------------------------------- */

enum { MOST_ARRAYS = 9 };

/* One array of the caller's, and where the kernels find it. */
typedef struct {
    flash_array given;
    size_t shape[4];
    float *data; /* its own, or a copy without gaps */
    int written;
} view;

/* What one call has: its arrays, and the first thing that went wrong. */
typedef struct {
    view views[MOST_ARRAYS];
    size_t n;
    int error;
    char *text;
} call;

static size_t elements(const view *a)
{
    return a->shape[0] * a->shape[1] * a->shape[2] * a->shape[3];
}

/* Strides 0 stand for those that C has. */
static flash_array with_strides(flash_array a, size_t H, size_t N, size_t cols)
{
    if (!a.batch && !a.head && !a.row && !a.column) {
        a.column = 1;
        a.row = (ptrdiff_t)cols;
        a.head = (ptrdiff_t)(N * cols);
        a.batch = (ptrdiff_t)(H * N * cols);
    }
    return a;
}

static int is_dense(const view *a)
{
    flash_array c = {NULL, 0, 0, 0, 0};
    const flash_array *g = &a->given;

    c = with_strides(c, a->shape[1], a->shape[2], a->shape[3]);
    return (a->shape[0] <= 1 || g->batch == c.batch) &&
           (a->shape[1] <= 1 || g->head == c.head) &&
           (a->shape[2] <= 1 || g->row == c.row) &&
           (a->shape[3] <= 1 || g->column == c.column);
}

/* From the caller's array to the copy, or back. */
static void copy(const view *a, int back)
{
    const flash_array *g = &a->given;
    float *dense = a->data;

    for (size_t b = 0; b < a->shape[0]; b++)
        for (size_t h = 0; h < a->shape[1]; h++)
            for (size_t i = 0; i < a->shape[2]; i++) {
                float *row = g->data + (ptrdiff_t)b * g->batch +
                             (ptrdiff_t)h * g->head + (ptrdiff_t)i * g->row;

                for (size_t c = 0; c < a->shape[3]; c++, dense++)
                    if (back)
                        row[(ptrdiff_t)c * g->column] = *dense;
                    else
                        *dense = row[(ptrdiff_t)c * g->column];
            }
}

typedef enum { READ, WRITTEN, WRITTEN_IF_THERE } use;

/* The array as the kernels want it: itself, or a copy without gaps. */
static float *lay_out(call *c, const char *name, flash_array given, size_t B,
                      size_t H, size_t N, size_t cols, use how)
{
    view *a = &c->views[c->n++];

    given = with_strides(given, H, N, cols);
    *a = (view){given, {B, H, N, cols}, given.data, how != READ};
    if (c->error)
        return NULL;
    if (!given.data && how != WRITTEN_IF_THERE && elements(a)) {
        char why[FLASH_TEXT];

        snprintf(why, sizeof why, "%s has no data", name);
        c->error = refuse(c->text, why);
        return NULL;
    }
    if (given.data && is_dense(a))
        return a->data;
    a->data = malloc((elements(a) + 1) * sizeof *a->data);
    if (!a->data) {
        refuse(c->text, "not enough memory");
        c->error = FLASH_NO_MEMORY;
    } else if (how == READ) {
        copy(a, 0);
    }
    return a->data;
}

/* Gives the caller what was written, unless something went wrong. */
static int finish(call *c)
{
    for (size_t i = 0; i < c->n; i++) {
        view *a = &c->views[i];

        if (a->data == a->given.data)
            continue;
        if (!c->error && a->written && a->given.data)
            copy(a, 1);
        free(a->data);
    }
    return c->error;
}

/* --- Running --------------------------------------------------------------- */

/* The problem with its arrays, for the way forward or back. */
static layer prepare(call *c, const flash_problem *p, flash_inputs in,
                     flash_array o, flash_array lse, int back)
{
    layer l = {
        .B = p->B,
        .Hq = p->Hq,
        .Hk = p->Hk,
        .mask_B = 1,
        .mask_H = 1,
        .each = {.Nq = p->Nq,
                 .Nk = p->Nk,
                 .d = p->d,
                 .dv = p->dv,
                 .scale = p->scale != 0 ? p->scale : 1 / sqrtf((float)p->d),
                 .rule = {.causal = p->causal != 0,
                          .offset = (long)p->Nk - (long)p->Nq,
                          .window = p->window,
                          .softcap = p->softcap}}};

    layer_give(
        &l, lay_out(c, "q", in.q, p->B, p->Hq, p->Nq, p->d, READ),
        lay_out(c, "k", in.k, p->B, p->Hk, p->Nk, p->d, READ),
        lay_out(c, "v", in.v, p->B, p->Hk, p->Nk, p->dv, READ),
        lay_out(c, "o", o, p->B, p->Hq, p->Nq, p->dv, back ? READ : WRITTEN),
        lay_out(c, "lse", lse, p->B, p->Hq, p->Nq, 1,
                back ? READ : WRITTEN_IF_THERE));
    return l;
}

/* What is to be done; the gradients are for the way back. */
typedef struct {
    layer l;
    float *dO, *dQ, *dK, *dV;
} job;
typedef void work(const job *j, memory *mem);

/* The work on so many threads; what they are for the caller comes back. */
static void run(call *c, int threads, work *does, const job *j)
{
    size_t before = thread_count();
    memory mem;

    if (c->error)
        return;
    memory_init(&mem, MEMORY_UNBOUNDED);
    if (threads)
        use_threads((size_t)threads);
    does(j, &mem);
    if (threads)
        use_threads(before);
    if (mem.error) {
        refuse(c->text, mem.message);
        c->error = mem.error == MEMORY_FULL ? FLASH_NO_MEMORY : FLASH_INVALID;
    }
    memory_reset(&mem);
}

static void forward(const job *j, memory *mem)
{
    static const attention_step fast = {.name = "split_kv_simd",
                                        .run_layer = split_kv_simd};

    if (heads_of(&j->l))
        step_run_layer(&fast, &j->l, mem);
}

int flash_forward(const flash_problem *p, flash_array q, flash_array k,
                  flash_array v, flash_array o, flash_array lse, char *text)
{
    call c = {.error = check(p, text), .text = text};
    job j;

    if (c.error)
        return c.error;
    j.l = prepare(&c, p, (flash_inputs){q, k, v}, o, lse, 0);
    run(&c, p->threads, forward, &j);
    return finish(&c);
}

int flash_decode(const flash_problem *p, const size_t *keys, flash_array q,
                 flash_array k, flash_array v, flash_array o, flash_array lse,
                 char *text)
{
    flash_array *const arrays[] = {&q, &k, &v, &o, &lse};
    int error = check(p, text);

    if (error || !keys)
        return error ? error : flash_forward(p, q, k, v, o, lse, text);
    for (size_t b = 0; b < p->B; b++)
        if (keys[b] > p->Nk)
            return refuse(text, "keys of an entry are more than Nk");
    q = with_strides(q, p->Hq, p->Nq, p->d);
    k = with_strides(k, p->Hk, p->Nk, p->d);
    v = with_strides(v, p->Hk, p->Nk, p->dv);
    o = with_strides(o, p->Hq, p->Nq, p->dv);
    lse = with_strides(lse, p->Hq, p->Nq, 1);
    for (size_t b = 0; b < p->B && !error; b++) {
        flash_problem one = *p;

        one.B = 1;
        one.Nk = keys[b];
        error = flash_forward(&one, q, k, v, o, lse, text);
        for (size_t a = 0; a < 5; a++)
            if (arrays[a]->data)
                arrays[a]->data += arrays[a]->batch;
    }
    return error;
}

/* --- Backward -------------------------------------------------------------- */

static void backward(const job *j, memory *mem)
{
    static const attention_step fast = {.name = "backward_simd",
                                        .back_heads = backward_simd};
    size_t n = heads_of(&j->l);
    gradients *heads = malloc((n + 1) * sizeof *heads);

    if (!heads) {
        mem->error = MEMORY_FULL;
        snprintf(mem->message, sizeof mem->message, "not enough memory");
    }
    for (size_t nth = 0; heads && nth < n; nth++)
        heads[nth] = gradients_of(&j->l, nth, j->dO, j->dQ, j->dK, j->dV);
    if (heads && n)
        step_run_back(&fast, heads, n, mem);
    free(heads);
}

int flash_backward(const flash_problem *p, flash_inputs in, flash_array o,
                   flash_array lse, flash_array grad_o, flash_inputs grad,
                   char *text)
{
    call c = {.error = check(p, text), .text = text};
    job j;

    if (c.error)
        return c.error;
    j.l = prepare(&c, p, in, o, lse, 1);
    j.dO = lay_out(&c, "grad_o", grad_o, p->B, p->Hq, p->Nq, p->dv, READ);
    j.dQ = lay_out(&c, "grad.q", grad.q, p->B, p->Hq, p->Nq, p->d, WRITTEN);
    j.dK = lay_out(&c, "grad.k", grad.k, p->B, p->Hk, p->Nk, p->d, WRITTEN);
    j.dV = lay_out(&c, "grad.v", grad.v, p->B, p->Hk, p->Nk, p->dv, WRITTEN);
    /* Without a query there is nothing that makes them 0. */
    if (!c.error && !heads_of(&j.l)) {
        memset(j.dK, 0, p->B * p->Hk * p->Nk * p->d * sizeof *j.dK);
        memset(j.dV, 0, p->B * p->Hk * p->Nk * p->dv * sizeof *j.dV);
    }
    run(&c, p->threads, backward, &j);
    return finish(&c);
}
