#define _DEFAULT_SOURCE /* syscall */
#include "06_flash2/fast/bf16_heads.h"

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

/* The kernels of a target: the three flash2_amx steps, or flash2_pairs. */
typedef struct {
    const char *target;
    const bf16_kernel *kernels[3];
} compiled;

#define X(target)                                                              \
    {#target,                                                                  \
     {&flash2_amx_plain_##target, &flash2_amx_overlap_##target,                \
      &flash2_amx_##target}},
static const compiled amx[] = {AMX_TARGETS{0}};
#undef X
#define X(target) {#target, {&flash2_pairs_##target}},
static const compiled pairs[] = {PAIRS_TARGETS{0}};
#undef X

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
static bool may_use_amx(void)
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

/* In a virtual machine CPUID takes microseconds, so the result is kept. */
static bool has_amx(void)
{
    static _Atomic int known; /* 1: false, 2: true */

    if (!known)
        known = 1 + (has_avx512_bf16() && may_use_amx());
    return known == 2;
}
#endif

bool bf16_target_runs(const char *target)
{
    (void)target; /* unused on other CPUs */
#ifdef __x86_64__
    if (strcmp(target, "amx") == 0)
        return has_amx();
    if (strcmp(target, "pairs") == 0)
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
 * first that this machine can run. Returns NULL after an error. */
static const compiled *choose_tiles(const compiled *all, memory *mem)
{
    const char *wanted = wanted_tiles();
    char list[80] = "";

    for (; all->target; all++) {
        if (!bf16_target_runs(all->target))
            continue;
        if (!wanted || strcmp(wanted, all->target) == 0)
            return all;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 *list ? ", " : "", all->target);
    }
    if (strcmp(wanted, "vdpbf16") == 0)
        snprintf(mem->message, sizeof mem->message,
                 "FLASH2_TILES: vdpbf16 was removed; pairs uses its "
                 "instruction");
    else
        snprintf(mem->message, sizeof mem->message,
                 "FLASH2_TILES: no target %.40s here (%s)", shown(wanted).text,
                 list);
    return NULL;
}

/* True if the machine has the instructions of the first target. The last
 * target is plain C. */
static bool has_instructions(const compiled *all)
{
    return all[1].target && bf16_target_runs(all->target);
}

/* Returns the target of the instructions that FLASH2_TILES selects, or else the
 * first of amx and pairs. Returns NULL if the machine does not have them. */
static const compiled *instructions(void)
{
    const char *wanted = wanted_tiles();
    const compiled *const all[] = {amx, pairs};

    for (size_t k = 0; k < 2; k++)
        if (has_instructions(all[k]) &&
            (!wanted || strcmp(wanted, all[k]->target) == 0))
            return all[k];
    return NULL;
}

const char *bf16_instructions(void)
{
    const compiled *found = instructions();

    return found ? found->target : NULL;
}

double bf16_peak(size_t threads)
{
    const compiled *found = instructions();

    return found ? peak_of(found->kernels[0]->products, 1 << 16, threads) : 0;
}

bool pairs_are_faster(const char *vendor, unsigned family)
{
    static const struct {
        const char *vendor;
        unsigned family;
    } measured[] = {{"AuthenticAMD", 26}}; /* Zen 5 */

    for (size_t k = 0; k < sizeof measured / sizeof *measured; k++)
        if (strcmp(vendor, measured[k].vendor) == 0 &&
            family == measured[k].family)
            return true;
    return false;
}

/* --- Blocks of queries ---------------------------------------------------- */

typedef struct {
    const bf16_kernel *kernel;
    const layer *l;
    size_t group;  /* query heads that share a key head */
    size_t blocks; /* blocks of queries per query head */
} bf16_job;

static float *aligned_floats(memory *mem, size_t n)
{
    float *p = scratch_unset(mem, n + 16);

    return p ? aligned(p) : NULL;
}

/* The last block comes first: with a causal limit it sees the most keys. */
static void attend_block_of(const bf16_job *job, size_t kv, size_t at,
                            const head *next, const float *packed, float *state,
                            memory *mem)
{
    head h = head_at(job->l, kv * job->group + at % job->group);
    size_t Br = job->kernel->queries;
    size_t i0 = (job->blocks - 1 - at / job->group) * Br;

    if (!mem->error &&
        !(in_fp32(&h) && job->kernel->attend(&h, next, packed, i0, state))) {
        h = head_of_queries(&h, span_of(i0, min_size(Br, h.Nq - i0)));
        by_flash2(&h, job->kernel->type, mem);
    }
}

/* Returns the thread's next head, with the rows to prefetch in block `at`. Each
 * of the blocks prefetches an equal part, because with a causal limit the last
 * one computes only a few tiles. */
static head part_of_next(const bf16_job *job, size_t kv, size_t at)
{
    size_t n = job->blocks * job->group, next = kv + thread_count();
    head h = {0};
    array *const arrays[] = {&h.Q, &h.K, &h.V};

    if (next >= job->l->B * job->l->Hk)
        return h;
    h = head_at(job->l, next * job->group);
    for (size_t k = 0; k < 3; k++) {
        size_t rows = arrays[k]->hbm.rows, first = at * rows / n;

        *arrays[k] =
            rows_of(*arrays[k], span_of(first, (at + 1) * rows / n - first));
    }
    return h;
}

static void attend_head(const bf16_job *job, size_t kv, float *packed,
                        float *state, memory *mem)
{
    head h = head_at(job->l, kv * job->group);

    for (size_t j = 0; j < tiles(h.Nk, BC) && !mem->error; j++)
        job->kernel->pack(&h, j, packed);
    for (size_t at = 0; at < job->blocks * job->group; at++) {
        head next = part_of_next(job, kv, at);

        attend_block_of(job, kv, at, &next, packed, state, mem);
    }
}

/* All threads share the packed keys of one key head. */
static void attend_heads_together(const bf16_job *job, float *packed,
                                  float *state, memory *mem)
{
    for (size_t kv = 0; kv < job->l->B * job->l->Hk; kv++) {
        head h = head_at(job->l, kv * job->group), none = {0};

#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (size_t j = 0; j < tiles(h.Nk, BC); j++)
            job->kernel->pack(&h, j, packed);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (size_t at = 0; at < job->blocks * job->group; at++)
            attend_block_of(job, kv, at, &none, packed, state, mem);
    }
}

static bool is_fp16(const array *a)
{
    return a->narrow && a->type == FP16;
}

/* Returns the name of a rule or type that is not supported, or NULL. */
static const char *unsupported(const layer *l, bool all_rules)
{
    const head *h = &l->each;
    const rule *r = &h->rule;

    return is_fp16(&h->Q) || is_fp16(&h->K) || is_fp16(&h->V) ? "fp16"
           : all_rules                                        ? NULL
           : r->softcap > 0                                   ? "softcap"
           : r->slope > 0 || l->alibi                         ? "ALiBi"
           : r->mask.hbm.data                                 ? "mask"
                                                              : NULL;
}

static bool fits(const layer *l, bool all_rules)
{
    return !unsupported(l, all_rules) &&
           (all_rules || (l->each.d <= WIDEST && l->each.dv <= WIDEST &&
                          l->each.Nk <= INT_MAX / 2));
}

static int refuse(const layer *l, bool all_rules, memory *mem)
{
    const head *h = &l->each;
    const char *what = unsupported(l, all_rules);

    mem->error = MEMORY_REFUSED;
    if (what)
        snprintf(mem->message, sizeof mem->message,
                 "%s: not supported by this step; flash2_simd supports it",
                 what);
    else
        snprintf(mem->message, sizeof mem->message,
                 "d %zu, dv %zu, %zu keys: too large for a matrix unit; at "
                 "most %d columns, %d keys",
                 h->d, h->dv, h->Nk, WIDEST, INT_MAX / 2);
    return mem->error;
}

int attend_in_bf16(const bf16_kernel *kernel, const layer *l, memory *mem)
{
    const bf16_job job = {kernel, l, l->Hk ? l->Hq / l->Hk : 1,
                          tiles(l->each.Nq, kernel->queries)};
    size_t heads = l->B * l->Hk, floats = kernel->packed_floats(&l->each);
    bool together = heads < 4 * thread_count();
    float *shared = NULL;
    memory all;

    if (!fits(l, kernel->all_rules))
        return refuse(l, kernel->all_rules, mem);
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
        state = aligned_floats(&own, kernel->state_floats(&l->each));
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

static int attend(const compiled *all, size_t which, const layer *l,
                  memory *mem)
{
    const compiled *c = choose_tiles(all, mem);

    if (!c)
        return mem->error = MEMORY_REFUSED;
    return attend_in_bf16(c->kernels[which], l, mem);
}

int flash2_pairs(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(pairs, 0, l, mem);
}

int flash2_amx_plain(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(amx, 0, l, mem);
}

int flash2_amx_overlap(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(amx, 1, l, mem);
}

int flash2_amx(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(amx, 2, l, mem);
}

static bool runs_fast_pairs(void)
{
    static _Atomic int known; /* 1: false, 2: true (has_amx) */
#if defined(__linux__) && defined(__x86_64__)
    unsigned a, b, c, d, vendor[4] = {0};

    if (!known) {
        __cpuid(0, a, vendor[0], vendor[2], vendor[1]);
        __cpuid(1, a, b, c, d);
        known = 1 + (has_instructions(pairs) &&
                     pairs_are_faster((char *)vendor,
                                      (a >> 8 & 15) + (a >> 20 & 255)));
    }
#endif
    return known == 2;
}

/* With one block of keys flash2_amx has no products to overlap, and a sketch of
 * flash2_pairs was slower than fp32. */
const attention_step *bf16_step(const layer *l)
{
    const char *wanted = wanted_tiles();
    bool blocks = l->each.Nk > BC;
    bool on_pairs =
        wanted ? strncmp(wanted, "pairs", 5) == 0 : blocks && runs_fast_pairs();
    bool on_amx = wanted ? !on_pairs : blocks && has_instructions(amx);

    if (l->each.Nq <= FEW_QUERIES)
        return NULL;
    if (on_amx && fits(l, false))
        return flash2_amx_step;
    return on_pairs ? flash2_pairs_step : NULL;
}
