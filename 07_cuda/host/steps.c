/*
 * The rungs as attention steps (steps.h).
 */
#include "07_cuda/steps.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "07_cuda/host/device.h"
#include "07_cuda/host/padded.h"
#include "07_cuda/host/traffic.h"

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

/* The columns that the rung pads d and dv to; 0 if they don't fit. */
static int columns_of(const rung *r, const head *h)
{
    return rung_columns(r, h->d > h->dv ? h->d : h->dv);
}

static int widest(const rung *r)
{
    int D = 0;

    for (int k = 0; k < HEAD_SIZES; k++)
        if (r->Br[k] > 0)
            D = head_size[k];
    return D;
}

/* "d 200, ... don't fit: at most 128, or 256 with flash1, ...": what would. */
static int refuse_width(const rung *r, const head *h, memory *mem)
{
    char others[100] = "";
    size_t used = 0;

    for (int k = 0; k < RUNGS; k++)
        if (columns_of(&ladder[k], h) && used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used,
                                     "%s%s", used ? ", " : "", ladder[k].name);
    return fail(mem, MEMORY_REFUSED,
                "d %zu, dv %zu don't fit (1 to %d are allowed%s%s)", h->d,
                h->dv, widest(r), used ? "; wider in " : " in any rung",
                others);
}

/* Does the rung do what the heads ask for? */
static int check(const rung *r, const head *h, size_t n, memory *mem)
{
    const size_t most = INT_MAX / 2 - 256; /* i + offset is an int */

    if (h->mask.hbm.data || h->softcap > 0)
        return fail(mem, MEMORY_REFUSED,
                    "no %s here (chapters 04 to 06 have it)",
                    h->softcap > 0 ? "softcap" : "mask");
    if (!columns_of(r, h))
        return refuse_width(r, h, mem);
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

/* Of scratch two bytes are an element. */
static void book_bytes(memory *mem, const rung_bytes *bytes, precision type)
{
    for (int a = 0; a < ARRAYS; a++) {
        bool wide = type == FP32 || (a >= L_OUT && a != SCRATCH);
        size_t size = wide ? 4 : 2;

        mem->counts.read[ALGORITHM] += bytes->loaded[a] / size;
        mem->counts.written[ALGORITHM] += bytes->stored[a] / size;
    }
    mem->counts.read[ALGORITHM] += bytes->own_loaded / sizeof(float);
    mem->counts.written[ALGORITHM] += bytes->own_stored / sizeof(float);
}

#ifdef CUDA_ON_CPU
static struct cuda_counts last_run[RUNGS];

static void keep_counts(const rung *r)
{
    last_run[r - ladder] = cuda_on_cpu_counts();
}

struct cuda_counts rung_counts(const char *name)
{
    int r = 0;

    while (strcmp(ladder[r].name, name) != 0)
        r++;
    return last_run[r];
}
#else
static void keep_counts(const rung *r)
{
    (void)r;
}
#endif

int rung_step(const rung *r, precision type, const head heads[], size_t n,
              memory *mem)
{
    precision own = rung_type(r, type);
    rung_problem p;
    rung_bytes bytes;
    int error;

    if (n == 0 || heads->Nq == 0)
        return 0;
    if (check(r, heads, n, mem))
        return mem->error;
    if (padded_from(&p, heads, n, group_of(heads, n), own,
                    columns_of(r, heads))) {
        padded_free(&p);
        return fail(mem, MEMORY_FULL, "no memory for the padded heads");
    }
    error = rung_on_device(r->run, &p, &bytes);
    if (error)
        fail(mem, MEMORY_FULL, "%s", device_error(error));
    else {
        keep_counts(r);
        padded_to(heads, n, &p);
        book_bytes(mem, &bytes, own);
    }
    padded_free(&p);
    return mem->error;
}

#define AS_TRAFFIC(name, type, bytes, ...) bytes,

static traffic_fn *const traffic_of[RUNGS] = {LADDER(AS_TRAFFIC)};

counts rung_traffic(const rung *r, const head *h)
{
    if (h->Nq == 0)
        return (counts){0};
    return traffic_of[r - ladder](r, h, (size_t)columns_of(r, h));
}

/* --- A step for each rung and type ---------------------------------------- */

/* A step's functions are not told which step they belong to. */
#define FUNCTIONS_IN(asked, name)                                              \
    static int name##_##asked(const head *h, memory *mem)                      \
    {                                                                          \
        return rung_step(&ladder[RUNG_##name], asked, h, 1, mem);              \
    }                                                                          \
    static int name##_##asked##_heads(const head heads[], size_t n,            \
                                      memory *mem)                             \
    {                                                                          \
        return rung_step(&ladder[RUNG_##name], asked, heads, n, mem);          \
    }
#define FUNCTIONS(name, ...)                                                   \
    FUNCTIONS_IN(BF16, name) FUNCTIONS_IN(FP16, name) FORMULA_OF(name)

#ifdef CUDA_ON_CPU
#define FORMULA(name) name##_traffic
#define FORMULA_OF(name)                                                       \
    static counts name##_traffic(const head *h, tile_sizes t)                  \
    {                                                                          \
        (void)t;                                                               \
        return rung_traffic(&ladder[RUNG_##name], h);                          \
    }
#else /* nothing is counted */
#define FORMULA(name) NULL
#define FORMULA_OF(name)
#endif

LADDER(FUNCTIONS)

#define STEP_IN(asked, name, idea)                                             \
    {#name, asked,        idea, name##_##asked, name##_##asked##_heads,        \
     NULL,  FORMULA(name)},
#define BF16_STEP(name, type, bytes, Br, Bc, idea) STEP_IN(BF16, name, idea)
#define FP16_STEP(name, type, bytes, Br, Bc, idea) STEP_IN(FP16, name, idea)

const attention_step *ladder_steps(precision type)
{
    static const attention_step steps[2][RUNGS] = {{LADDER(BF16_STEP)},
                                                   {LADDER(FP16_STEP)}};
    static attention_step here[2][RUNGS + 1];
    bool fp16 = type == FP16;
    size_t n = 0;

    for (int k = 0; k < RUNGS; k++)
        if (rung_runs_here(&ladder[k])) {
            here[fp16][n] = steps[fp16][k];
            if (!traffic_of[k])
                here[fp16][n].formula = NULL;
            here[fp16][n++].type = rung_type(&ladder[k], type);
        }
    return here[fp16];
}
