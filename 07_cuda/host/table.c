/* Prints the emulator's counts for each rung, as a table or CSV (steps.h). */
#include "07_cuda/steps.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/data/random.h"
#include "common/print/report.h"

#include "07_cuda/host/device.h"

/* The problem is small because CUDA_FULL is slow. */
enum { N = 256, D = 64, WIDEST = 128 };

static struct cuda_counts counts_of(const rung *r, precision type, size_t d)
{
    static float inputs[3][N * WIDEST], O[N * WIDEST], L[N];
    random_source source = random_seed(7);
    layer l = {.B = 1,
               .Hq = 1,
               .Hk = 1,
               .each = {.Nq = N, .Nk = N, .d = d, .dv = d, .scale = 0.125f}};
    memory mem;

    layer_give(&l, inputs[0], inputs[1], inputs[2], O, L);
    random_fill(&source, &inputs[0][0], 3 * N * WIDEST, 1);
    memory_init(&mem, 0);
    progress("%s, counted", r->name);
    if (rung_layer(r, rung_type(r, type), &l, &mem)) {
        fprintf(stderr, "%s: %s\n", r->name, mem.message);
        exit(1);
    }
    progress_done();
    return rung_counts(r->name);
}

static enum cuda_effort raise_effort(void)
{
    enum cuda_effort before = cuda_on_cpu_effort();
    const char *effort = getenv("CUDA_ON_CPU");

    if (!effort || !*effort)
        cuda_on_cpu_set_effort(CUDA_FULL);
    return before;
}

static words number(bool known, uint64_t n)
{
    return known ? count_text((size_t)n) : (words){"-"};
}

/* Returns "4,096 mma" (of warps) or "96 wgmma" (of warpgroups). */
static words products_of(const struct cuda_counts *c)
{
    words w = {"-"};

    if (c->mma || c->wgmma)
        snprintf(w.text, sizeof w.text, "%.20s %s",
                 count_text((size_t)(c->mma + c->wgmma)).text,
                 c->mma ? "mma" : "wgmma");
    return w;
}

/* Adds a row. Sectors and bank conflicts are counted only with CUDA_FULL.
 * Conflicts of the operands that wgmma reads are not counted. */
static void row_of(table *t, const rung *r, const struct cuda_counts *c)
{
    bool full = cuda_on_cpu_effort() == CUDA_FULL, reads = c->shared_loads > 0;

    table_row(
        t, "%s|%s|%s|%s|%s|%s|%s|%s", r->number, r->name,
        count_text(c->global_loaded + c->global_stored).text,
        number(full, c->global_sectors).text,
        number(reads, c->shared_loads).text,
        number(full && reads, c->shared_wavefronts - c->shared_wavefronts_best)
            .text,
        count_text(c->barriers).text, products_of(c).text);
}

int table_of_ladder(precision type)
{
    enum cuda_effort before = raise_effort();
    table t = {0};

    heading("The ladder, counted: 1 head, %d queries and keys, d %d", N, D);
    table_row(&t, "|rung|HBM, bytes|sectors|shared, reads|conflicts|barriers|"
                  "tensor cores");
    for (const rung *r = ladder; r < ladder + RUNGS; r++) {
        if (!runs_here(&r->needs, D, NULL))
            continue;
        struct cuda_counts c = counts_of(r, type, D);

        row_of(&t, r, &c);
    }
    table_print(&t);
    cuda_on_cpu_set_effort(before);
    return 0;
}

static void csv_row(const rung *r, precision type, int d)
{
    struct cuda_counts c;

    if (rung_Br(r, d) == 0 || !runs_here(&r->needs, d, NULL))
        return;
    c = counts_of(r, type, (size_t)d);
    printf("%s,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d,%zu\n", r->name,
           (size_t)(c.global_loaded + c.global_stored),
           (size_t)c.global_sectors, (size_t)c.shared_loads,
           (size_t)(c.shared_wavefronts - c.shared_wavefronts_best),
           (size_t)c.barriers, (size_t)c.mma, (size_t)c.shared_wavefronts, d,
           (size_t)c.blocks);
}

int table_for_plots(precision type)
{
    enum cuda_effort before = raise_effort();

    puts("rung,hbm_bytes,sectors,shared_reads,conflicts,barriers,mma,"
         "wavefronts,d,blocks");
    for (int d = D; d <= WIDEST; d *= 2)
        for (const rung *r = ladder; r < ladder + RUNGS; r++)
            csv_row(r, type, d);
    cuda_on_cpu_set_effort(before);
    return 0;
}
