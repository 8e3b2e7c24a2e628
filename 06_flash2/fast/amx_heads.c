#define _DEFAULT_SOURCE /* syscall */
#include "06_flash2/fast/amx_heads.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__) && defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "06_flash2/fast/query_blocks.h"
#include "06_flash2/steps.h"
#include "common/precision.h"
#include "common/print/outside.h"
#include "common/speed/peak.h"
#include "common/threads.h"

/* --- Targets -------------------------------------------------------------- */

#define X(target) #target,
static const char *const names[] = {AMX_TARGETS};
#undef X

#define COUNT (sizeof names / sizeof names[0])

size_t amx_targets(void)
{
    return COUNT;
}

#ifdef __x86_64__
static bool has_avx512_bf16(void)
{
    return __builtin_cpu_supports("avx512bf16") &&
           __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

/* True if the CPU has AMX for bf16 and Linux permits its use. A process must
 * request permission, because the tile registers have 8 KB of state. */
static bool has_amx(void)
{
#ifdef __linux__
    const long request_permission = 0x1023, tile_data = 18;
    const unsigned bf16 = 1u << 22, tile = 1u << 24;
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bf16) &&
           (d & tile) &&
           syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
    return false;
#endif
}
#endif

bool amx_target_runs(size_t t)
{
#ifdef __x86_64__
    if (strcmp(names[t], "amx") == 0)
        return has_avx512_bf16() && has_amx();
    if (strcmp(names[t], "vdpbf16") == 0)
        return has_avx512_bf16();
#endif
    return true;
}

static const char *wanted_tiles(void)
{
    const char *wanted = getenv("FLASH2_TILES");

    return wanted && *wanted ? wanted : NULL;
}

/* Returns the target that FLASH2_TILES names; if it is unset or empty, the
 * first that this machine can run. Returns COUNT after an error. */
static size_t choose_tiles(memory *mem)
{
    const char *wanted = wanted_tiles();
    char list[80] = "";

    for (size_t t = 0; t < COUNT; t++) {
        if (!amx_target_runs(t))
            continue;
        if (!wanted || strcmp(wanted, names[t]) == 0)
            return t;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 *list ? ", " : "", names[t]);
    }
    snprintf(mem->message, sizeof mem->message,
             "FLASH2_TILES: no target %.40s here (%s)", shown(wanted).text,
             list);
    return COUNT;
}

/* --- Blocks of queries ---------------------------------------------------- */

typedef struct {
    const amx_kernel *kernel;
    const layer *l;
    size_t group;  /* query heads that share a key head */
    size_t blocks; /* blocks of queries per query head */
} amx_job;

static float *aligned_floats(memory *mem, size_t n)
{
    float *p = scratch_unset(mem, n + 16);

    return p ? aligned(p) : NULL;
}

/* Returns a copy of `rows` rows, rounded to bf16. head_of_queries does not set
 * a.hbm.rows in an array that has only 16-bit data. */
static array in_bf16(memory *mem, array a, size_t rows)
{
    array copy = hbm_scratch(mem, rows, a.hbm.cols, BF16);

    for (size_t i = 0; i < rows && !mem->error; i++)
        for (size_t c = 0; c < a.hbm.cols; c++)
            row(copy.hbm, i)[c] = a.narrow
                                      ? from_bf16(a.narrow[i * a.hbm.cols + c])
                                      : round_to(BF16, row(a.hbm, i)[c]);
    return copy;
}

/* Uses flash2, with inputs rounded to bf16. */
static void attend_exactly(const head *h, span queries, memory *mem)
{
    head part = head_of_queries(h, queries);
    uint16_t *narrow = part.O.narrow;
    memory own;

    memory_init(&own, MEMORY_UNBOUNDED);
    part.Q = in_bf16(&own, part.Q, part.Nq);
    part.K = in_bf16(&own, part.K, part.Nk);
    part.V = in_bf16(&own, part.V, part.Nk);
    if (narrow)
        part.O = hbm_scratch(&own, part.Nq, part.dv, FP32);
    if (!own.error)
        by_flash2(&part, mem);
    for (size_t k = 0; narrow && !own.error && k < part.Nq * part.dv; k++)
        narrow[k] = to_bf16(part.O.hbm.data[k]);
    memory_return(mem, &own);
}

/* The last block comes first: with a causal limit it sees the most keys. */
static void attend_block_of(const amx_job *job, size_t kv, size_t at,
                            const float *packed, float *state, memory *mem)
{
    head h = head_at(job->l, kv * job->group + at % job->group);
    size_t i0 = (job->blocks - 1 - at / job->group) * BR;

    if (!mem->error && !(in_fp32(&h) && fabsf(h.scale) >= FLT_MIN &&
                         job->kernel->attend(&h, packed, i0, state)))
        attend_exactly(&h, span_of(i0, min_size(BR, h.Nq - i0)), mem);
}

static void attend_head(const amx_job *job, size_t kv, float *packed,
                        float *state, memory *mem)
{
    head h = head_at(job->l, kv * job->group);

    for (size_t j = 0; j < tiles(h.Nk, BC) && !mem->error; j++)
        job->kernel->pack(&h, j, packed);
    for (size_t at = 0; at < job->blocks * job->group; at++)
        attend_block_of(job, kv, at, packed, state, mem);
}

/* All threads share the packed keys of one key head. */
static void attend_heads_together(const amx_job *job, float *packed,
                                  float *state, memory *mem)
{
    for (size_t kv = 0; kv < job->l->B * job->l->Hk; kv++) {
        head h = head_at(job->l, kv * job->group);

#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (size_t j = 0; j < tiles(h.Nk, BC); j++)
            job->kernel->pack(&h, j, packed);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (size_t at = 0; at < job->blocks * job->group; at++)
            attend_block_of(job, kv, at, packed, state, mem);
    }
}

static bool is_fp16(const array *a)
{
    return a->narrow && a->type == FP16;
}

/* Returns the name of a rule or type that is not supported, or NULL. */
static const char *unsupported(const layer *l)
{
    const head *h = &l->each;
    const rule *r = &h->rule;

    return r->softcap > 0                                       ? "softcap"
           : r->slope > 0 || l->alibi                           ? "ALiBi"
           : r->mask.hbm.data                                   ? "mask"
           : is_fp16(&h->Q) || is_fp16(&h->K) || is_fp16(&h->V) ? "fp16"
                                                                : NULL;
}

static bool fits(const layer *l)
{
    return !unsupported(l) && l->each.d <= WIDEST && l->each.dv <= WIDEST &&
           l->each.Nk <= INT_MAX / 2;
}

static int refuse(const layer *l, memory *mem)
{
    const head *h = &l->each;

    mem->error = MEMORY_REFUSED;
    if (unsupported(l))
        snprintf(mem->message, sizeof mem->message,
                 "%s: not supported on a matrix unit; flash2_simd supports it",
                 unsupported(l));
    else
        snprintf(mem->message, sizeof mem->message,
                 "d %zu, dv %zu, %zu keys: too large for a matrix unit; at "
                 "most %d columns, %d keys",
                 h->d, h->dv, h->Nk, WIDEST, INT_MAX / 2);
    return mem->error;
}

int attend_on_tiles(const amx_kernel *kernel, const layer *l, memory *mem)
{
    const amx_job job = {kernel, l, l->Hk ? l->Hq / l->Hk : 1,
                         tiles(l->each.Nq, BR)};
    size_t heads = l->B * l->Hk, floats = packed_floats(&l->each, l->each.Nk);
    bool together = heads < 4 * thread_count();
    float *shared = NULL;
    memory all;

    if (!fits(l))
        return refuse(l, mem);
    memory_init(&all, MEMORY_UNBOUNDED);
    if (together)
        shared = aligned_floats(&all, floats);
    if (all.error) {
        memory_return(mem, &all);
        return mem->error;
    }
#ifdef _OPENMP
#pragma omp parallel num_threads(                                              \
    (int)threads_for(together ? job.blocks *job.group : heads))
#endif
    {
        float *state, *packed = shared;
        memory own;

        memory_init(&own, MEMORY_UNBOUNDED);
        state = aligned_floats(&own, kernel->state_floats);
        if (!together)
            packed = aligned_floats(&own, floats);
        if (together) {
            attend_heads_together(&job, packed, state, &own);
        } else {
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
            for (size_t kv = 0; kv < heads; kv++)
                attend_head(&job, kv, packed, state, &own);
        }
        threads_lock();
        counts_add(&mem->counts, &own.counts);
        memory_return(mem, &own);
        threads_unlock();
    }
    memory_return(mem, &all);
    return mem->error;
}

/* --- The steps ------------------------------------------------------------ */

#define X(target)                                                              \
    {&flash2_amx_plain_##target, &flash2_amx_overlap_##target,                 \
     &flash2_amx_##target},
static const amx_kernel *const kernels[][3] = {AMX_TARGETS};
#undef X

static bool has_amx_target(void)
{
    return strcmp(names[0], "amx") == 0 && amx_target_runs(0);
}

double amx_peak(size_t threads)
{
    const size_t flops = 4 * 2 * 16 * 16 * 32;

    if (!has_amx_target())
        return 0;
    return peak_of(kernels[0][0]->products, flops, threads);
}

static int attend(size_t which, const layer *l, memory *mem)
{
    size_t t = choose_tiles(mem);

    if (t == COUNT)
        return mem->error = MEMORY_REFUSED;
    return attend_on_tiles(kernels[t][which], l, mem);
}

int flash2_amx_plain(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(0, l, mem);
}

int flash2_amx_overlap(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(1, l, mem);
}

int flash2_amx(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(2, l, mem);
}

bool flash2_amx_suits(const layer *l)
{
    return l->each.Nq > FEW_QUERIES && fits(l) &&
           (wanted_tiles() || has_amx_target());
}
