/*
 * The rungs as attention steps (steps.h).
 */
#include "07_cuda/steps.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "07_cuda/device.h"
#include "07_cuda/padded.h"

static int fail(memory *mem, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(memory *mem, int error, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(mem->message, sizeof mem->message, format, list);
    va_end(list);
    mem->error = error;
    return error;
}

/* Do the rungs do what the heads ask for? */
static int check(const head *h, size_t n, memory *mem)
{
    const size_t most = INT_MAX / 2 - 256; /* i + offset is an int */

    if (h->mask.hbm.data || h->softcap > 0)
        return fail(mem, MEMORY_REFUSED,
                    "no %s here (chapters 04 to 06 have it)",
                    h->softcap > 0 ? "softcap" : "mask");
    if (!padded_columns(h))
        return fail(mem, MEMORY_REFUSED,
                    "d %zu, dv %zu are too wide (1 to 128)", h->d, h->dv);
    if (n > 65535 || h->Nq > most || h->Nk > most)
        return fail(mem, MEMORY_REFUSED,
                    "%zu heads of %zu queries, %zu keys are too many "
                    "(65535 of %zu)",
                    n, h->Nq, h->Nk, most);
    return 0;
}

/* How many heads in a row have the first one's K and V, if all do so. */
static size_t group_of(const head heads[], size_t n)
{
    size_t group = 1;

    while (group < n && heads[group].K.hbm.data == heads->K.hbm.data &&
           heads[group].V.hbm.data == heads->V.hbm.data)
        group++;
    for (size_t i = 0; i < n; i++) {
        const head *first = &heads[i / group * group];

        if (heads[i].K.hbm.data != first->K.hbm.data ||
            heads[i].V.hbm.data != first->V.hbm.data)
            return 1;
    }
    return n % group ? 1 : group;
}

static void book_bytes(memory *mem, const rung_bytes *bytes, precision type)
{
    for (int a = 0; a < ARRAYS; a++) {
        size_t size = type == FP32 || a >= L_OUT ? 4 : 2;

        mem->counts.read[ALGORITHM] += bytes->loaded[a] / size;
        mem->counts.written[ALGORITHM] += bytes->stored[a] / size;
    }
}

int rung_step(const rung *r, precision type, const head heads[], size_t n,
              memory *mem)
{
    rung_problem p;
    rung_bytes bytes;
    int error;

    if (n == 0 || heads->Nq == 0)
        return 0;
    if (check(heads, n, mem))
        return mem->error;
    if (padded_from(&p, heads, n, group_of(heads, n), type)) {
        padded_free(&p);
        return fail(mem, MEMORY_FULL, "no memory for the padded heads");
    }
    error = rung_on_device(r->run, &p, &bytes);
    if (error)
        fail(mem, MEMORY_FULL, "%s", device_error(error));
    else {
        padded_to(heads, n, &p);
        book_bytes(mem, &bytes, type);
    }
    padded_free(&p);
    return mem->error;
}

counts rung_traffic(const rung *r, const head *h)
{
    head padded = *h;
    size_t D = padded_columns(h), wide = D == 128;
    tile_sizes t = {(size_t)r->Br[wide], (size_t)r->Bc[wide]};
    counts by_book, sum = {0};

    if (h->Nq == 0)
        return sum;
    padded.d = padded.dv = D;
    by_book = r == &ladder[RUNG_flash1] ? flash1_traffic(&padded, t)
                                        : flash2_traffic(&padded, t);
    for (int b = 0; b < BOOKS; b++) {
        sum.read[ALGORITHM] += by_book.read[b];
        sum.written[ALGORITHM] += by_book.written[b];
    }
    return sum;
}

/* --- A step for each rung and type ---------------------------------------- */

/* A step's functions are not told which step they belong to. */
#define FUNCTIONS(name, type)                                                  \
    static int name##_##type(const head *h, memory *mem)                       \
    {                                                                          \
        return rung_step(&ladder[RUNG_##name], type, h, 1, mem);               \
    }                                                                          \
    static int name##_##type##_heads(const head heads[], size_t n,             \
                                     memory *mem)                              \
    {                                                                          \
        return rung_step(&ladder[RUNG_##name], type, heads, n, mem);           \
    }                                                                          \
    FORMULA_OF(name, type)

#ifdef CUDA_ON_CPU
#define FORMULA(name) name
#define FORMULA_OF(name, type)                                                 \
    static counts name##_##type##_traffic(const head *h, tile_sizes t)         \
    {                                                                          \
        (void)t;                                                               \
        return rung_traffic(&ladder[RUNG_##name], h);                          \
    }
#else /* nothing is counted */
#define FORMULA(name) NULL
#define FORMULA_OF(name, type)
#endif

#define FP32_FUNCTIONS(name, ...) FUNCTIONS(name, FP32)
#define BF16_FUNCTIONS(name, ...) FUNCTIONS(name, BF16)
#define FP16_FUNCTIONS(name, ...) FUNCTIONS(name, FP16)

FP32_RUNGS(FP32_FUNCTIONS)
NARROW_RUNGS(BF16_FUNCTIONS)
NARROW_RUNGS(FP16_FUNCTIONS)

#define STEP(name, type, idea)                                                 \
    {#name,                                                                    \
     type,                                                                     \
     idea,                                                                     \
     name##_##type,                                                            \
     name##_##type##_heads,                                                    \
     NULL,                                                                     \
     FORMULA(name##_##type##_traffic)},
#define FP32_STEP(name, a, b, c, d, idea) STEP(name, FP32, idea)
#define BF16_STEP(name, a, b, c, d, idea) STEP(name, BF16, idea)
#define FP16_STEP(name, a, b, c, d, idea) STEP(name, FP16, idea)

const attention_step *ladder_steps(precision type)
{
    static const attention_step bf16[] = {FP32_RUNGS(FP32_STEP)
                                              NARROW_RUNGS(BF16_STEP){0}};
    static const attention_step fp16[] = {FP32_RUNGS(FP32_STEP)
                                              NARROW_RUNGS(FP16_STEP){0}};

    return type == FP16 ? fp16 : bf16;
}
