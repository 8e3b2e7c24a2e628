/*
 * The library (flash.h): checks the arguments, arranges them as a layer, and
 * runs the fast steps of chapter 06. docs/library.md
 */
#include "tools/flash/flash.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/precision.h"
#include "common/step.h"
#include "common/threads.h"

/* --- Arrays --------------------------------------------------------------- */

/* A forward call has only the first five arrays. */
enum { Q, K, V, O, L, DO, DQ, DK, DV, FORWARD = DO, BACKWARD = DV + 1 };
static const char *const names[] = {
    "q", "k", "v", "o", "lse", "grad_o", "grad.q", "grad.k", "grad.v"};

typedef struct {
    size_t B, H, N, cols;
} shape;

static shape shape_of(const flash_problem *p, size_t i)
{
    bool keys = i == K || i == V || i == DK || i == DV;
    bool values = i == V || i == O || i == DO || i == DV;

    return (shape){p->B, keys ? p->Hk : p->Hq, keys ? p->Nk : p->Nq,
                   i == L ? 1 : (values ? p->dv : p->d)};
}

static size_t elements(shape s)
{
    return s.B * s.H * s.N * s.cols;
}

static flash_type type_of(const flash_problem *p, size_t i)
{
    return i <= V ? p->type : i == O ? p->o_type : FLASH_FP32;
}

static size_t size_of(flash_type type)
{
    return type == FLASH_BF16 ? sizeof(uint16_t) : sizeof(float);
}

/* Strides that are all 0 become those of a contiguous array. */
static flash_array with_strides(flash_array a, shape s)
{
    flash_array c = {a.data, (ptrdiff_t)(s.H * s.N * s.cols),
                     (ptrdiff_t)(s.N * s.cols), (ptrdiff_t)s.cols, 1};

    return a.batch || a.head || a.row || a.column ? a : c;
}

static bool is_dense(flash_array a, shape s)
{
    flash_array c = with_strides((flash_array){.data = NULL}, s);

    return (s.B <= 1 || a.batch == c.batch) && (s.H <= 1 || a.head == c.head) &&
           (s.N <= 1 || a.row == c.row) &&
           (s.cols <= 1 || a.column == c.column);
}

/* Copies a, of elements of `size` bytes, to the contiguous array dense. If
 * `back`, copies dense to a. */
static void copy(flash_array a, size_t size, shape s, void *dense, bool back)
{
    char *element = dense;

    for (size_t n = 0; n < s.B * s.H * s.N; n++) {
        ptrdiff_t start = (ptrdiff_t)(n / s.N / s.H) * a.batch +
                          (ptrdiff_t)(n / s.N % s.H) * a.head +
                          (ptrdiff_t)(n % s.N) * a.row;
        char *given = (char *)a.data + start * (ptrdiff_t)size;
        size_t whole = a.column == 1 ? s.cols : 1; /* contiguous elements */

        for (size_t c = 0; c < s.cols; c += whole) {
            memcpy(back ? given : element, back ? element : given,
                   whole * size);
            element += whole * size;
            given += a.column * (ptrdiff_t)size;
        }
    }
}

/* --- The request ---------------------------------------------------------- */

static int refuse(char *text, const char *what, const char *why)
{
    if (text)
        snprintf(text, FLASH_TEXT, "%s%s", what, why);
    return FLASH_INVALID;
}

static int check(const flash_problem *p, const flash_array a[], size_t n,
                 char *text)
{
    if (text)
        *text = '\0';
    if (!p || p->size != sizeof *p)
        return refuse(text, "size", " is not sizeof(flash_problem)");
    if ((p->type != FLASH_FP32 || p->o_type != FLASH_FP32) && n == BACKWARD)
        return refuse(text, p->type != FLASH_FP32 ? "type" : "o_type",
                      " must be FLASH_FP32 for gradients");
    if (p->type > FLASH_BF16 || p->o_type > FLASH_BF16)
        return refuse(text, p->type > FLASH_BF16 ? "type" : "o_type",
                      " is neither FLASH_FP32 nor FLASH_BF16");
    if (p->d == 0 || p->dv == 0)
        return refuse(text, "d and dv", " must be 1 or more");
    if (p->Hk == 0 ? p->Hq != 0 : p->Hq % p->Hk != 0)
        return refuse(text, "Hq", " is not a multiple of Hk");
    if (!isfinite(p->scale))
        return refuse(text, "scale", " is not a finite number");
    if (!(p->softcap >= 0) || !isfinite(p->softcap))
        return refuse(text, "softcap", " is not a finite number, 0 or more");
    if (p->threads < 0)
        return refuse(text, "threads", " is negative");
    for (size_t i = 0; i < n; i++) {
        shape s = shape_of(p, i);

        if ((double)s.B * (double)s.H * (double)s.N * (double)s.cols >
            (double)PTRDIFF_MAX / 2 / sizeof(float))
            return refuse(text, names[i], " is larger than memory");
        if (!a[i].data && elements(s) && (i != L || n == BACKWARD))
            return refuse(text, names[i], " has no data");
    }
    return FLASH_OK;
}

/* --- Running -------------------------------------------------------------- */

static int no_memory(char *text)
{
    refuse(text, "", "not enough memory");
    return FLASH_NO_MEMORY;
}

static layer layer_for(const flash_problem *p)
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

    layer_give(&l, NULL, NULL, NULL, NULL, NULL);
    return l;
}

static void give(array *a, void *data, flash_type type, bool written)
{
    if (type == FLASH_FP32) {
        a->hbm.data = data;
        return;
    }
    a->narrow = data;
    a->type = written ? FP32 : BF16; /* O is computed in fp32 */
}

/* Runs the backward pass if `back` is not NULL. threads is the number for
 * this call, or 0 for the current number. */
static int run_heads(const layer *l, const gradients *back, int threads,
                     char *text)
{
    static const attention_step split = {.name = "split_kv_simd",
                                         .run_layer = split_kv_simd};
    static const backward_step fast_back = {.name = "backward_simd",
                                            .run_heads = backward_simd};
    const attention_step *in_bf16 = l->each.K.narrow ? bf16_step(l) : NULL;
    const attention_step *fast = in_bf16 ? in_bf16 : &split;
    size_t before = thread_count();
    int error;
    memory mem;

    memory_init(&mem, MEMORY_UNBOUNDED);
    if (threads)
        use_threads((size_t)threads);
    error = back ? backward_step_run(&fast_back, back, heads_of(l), &mem)
                 : fast->run_layer(fast, l, &mem);
    if (threads)
        use_threads(before);
    if (error)
        error = error == MEMORY_FULL ? no_memory(text)
                                     : refuse(text, "", mem.message);
    memory_reset(&mem);
    return error;
}

static int run(const flash_problem *p, void *const data[], size_t n, char *text)
{
    layer l = layer_for(p);
    array *const given[] = {&l.each.Q, &l.each.K, &l.each.V, &l.each.O,
                            &l.each.L};
    gradients *back;
    int error;

    for (size_t i = 0; i < FORWARD; i++)
        give(given[i], data[i], type_of(p, i), i >= O);
    if (heads_of(&l) == 0)
        return FLASH_OK;
    if (n == FORWARD)
        return run_heads(&l, NULL, p->threads, text);
    back = malloc(heads_of(&l) * sizeof *back);
    if (!back)
        return no_memory(text);
    for (size_t nth = 0; nth < heads_of(&l); nth++)
        back[nth] =
            gradients_of(&l, nth, data[DO], data[DQ], data[DK], data[DV]);
    error = run_heads(&l, back, p->threads, text);
    free(back);
    return error;
}

static bool is_written(size_t i, size_t n)
{
    return i >= (n == FORWARD ? O : DQ);
}

/* Returns the data of a if it is contiguous. Otherwise allocates and returns a
 * copy, or an uninitialised buffer if the call writes the array. Returns NULL
 * if out of memory. */
static void *lay_out(flash_array a, size_t size, shape s, bool written)
{
    void *dense;

    if (a.data && is_dense(a, s))
        return a.data;
    dense = malloc((elements(s) + 1) * size);
    if (dense && !written)
        copy(a, size, s, dense, false);
    return dense;
}

static int call(const flash_problem *p, flash_array a[], size_t n, char *text)
{
    void *data[BACKWARD] = {NULL};
    int error = check(p, a, n, text);

    for (size_t i = 0; i < n && !error; i++) {
        shape s = shape_of(p, i);
        size_t size = size_of(type_of(p, i));

        a[i] = with_strides(a[i], s);
        data[i] = lay_out(a[i], size, s, is_written(i, n));
        if (!data[i])
            error = no_memory(text);
        else if (is_written(i, n) && p->B * p->Hq * p->Nq == 0)
            /* Without queries no kernel writes the array. */
            memset(data[i], 0, elements(s) * size);
    }
    if (!error)
        error = run(p, data, n, text);
    for (size_t i = 0; i < n && data[i]; i++) {
        if (data[i] == a[i].data)
            continue;
        if (!error && a[i].data && is_written(i, n))
            copy(a[i], size_of(type_of(p, i)), shape_of(p, i), data[i], true);
        free(data[i]);
    }
    return error;
}

int flash_forward(const flash_problem *p, flash_array q, flash_array k,
                  flash_array v, flash_array o, flash_array lse, char *text)
{
    flash_array a[] = {q, k, v, o, lse};

    return call(p, a, FORWARD, text);
}

int flash_backward(const flash_problem *p, flash_inputs in, flash_array o,
                   flash_array lse, flash_array grad_o, flash_inputs grad,
                   char *text)
{
    flash_array a[] = {in.q,   in.k,   in.v,   o,     lse,
                       grad_o, grad.q, grad.k, grad.v};

    return call(p, a, BACKWARD, text);
}

int flash_decode(const flash_problem *p, const size_t *keys, flash_array q,
                 flash_array k, flash_array v, flash_array o, flash_array lse,
                 char *text)
{
    flash_array a[] = {q, k, v, o, lse};
    int error = check(p, a, FORWARD, text);

    if (error || !keys)
        return error ? error : call(p, a, FORWARD, text);
    for (size_t b = 0; b < p->B; b++)
        if (keys[b] > p->Nk)
            return refuse(text, "keys", " has a number above Nk");
    for (size_t i = 0; i < FORWARD; i++)
        a[i] = with_strides(a[i], shape_of(p, i));
    for (size_t b = 0; b < p->B && !error; b++) {
        flash_problem one = *p;

        one.B = 1;
        one.Nk = keys[b];
        error = call(&one, a, FORWARD, text);
        for (size_t i = 0; i < FORWARD; i++)
            if (a[i].data)
                a[i].data = (char *)a[i].data +
                            a[i].batch * (ptrdiff_t)size_of(type_of(p, i));
    }
    return error;
}
