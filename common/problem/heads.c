/*
 * A layer's heads, one by one or all at once (heads.h).
 */
#include "common/problem/heads.h"

#include "common/print/report.h"
#include "common/print/stopwatch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

size_t heads_of(const attention_problem *p)
{
    return p->Nq ? p->B * p->Hq : 0;
}

static array nth_of(float *data, size_t nth, size_t rows, size_t cols)
{
    return (array){matrix_of(data + nth * rows * cols, rows, cols), FP32};
}

/* Beyond these limits the offset changes nothing, but i + offset could wrap. */
static long clamped(long offset, size_t Nq, size_t Nk)
{
    if (offset < 0 && -(offset + 1) >= (long)Nq)
        return -(long)Nq;
    return offset > (long)Nk ? (long)Nk : offset;
}

head head_at(const attention_problem *p, size_t nth)
{
    size_t b = nth / p->Hq, h = nth % p->Hq;
    size_t kv = b * p->Hk + h / (p->Hq / p->Hk);
    size_t mask =
        (p->mask_B == 1 ? 0 : b) * p->mask_H + (p->mask_H == 1 ? 0 : h);
    head one = {
        .Nq = p->Nq,
        .Nk = p->Nk,
        .d = p->d,
        .dv = p->dv,
        .Q = nth_of(p->Q, nth, p->Nq, p->d),
        .K = nth_of(p->K, kv, p->Nk, p->d),
        .V = nth_of(p->V, kv, p->Nk, p->dv),
        .O = nth_of(p->O, nth, p->Nq, p->dv),
        .L = nth_of(p->L, nth, p->Nq, 1),
        .scale = p->scale,
        .softcap = p->softcap,
        .causal = p->causal,
        .offset = clamped(p->offset, p->Nq, p->Nk),
        .Br = p->Br,
        .Bc = p->Bc,
        .stored = p->stored,
        .P = p->P,
    };

    if (p->mask)
        one.mask = nth_of(p->mask, mask, p->Nq, p->Nk);
    return one;
}

/* For a step that spreads the heads over threads itself. */
static int run_together(const attention_problem *p, const attention_step *step,
                        memory *mem)
{
    size_t n = heads_of(p);
    head *heads =
        n <= SIZE_MAX / sizeof *heads ? malloc(n * sizeof *heads) : NULL;

    if (!heads) {
        mem->error = MEMORY_FULL;
        snprintf(mem->message, sizeof mem->message,
                 "out of memory for %zu heads", n);
        return mem->error;
    }
    for (size_t nth = 0; nth < n; nth++)
        heads[nth] = head_at(p, nth);
    step->run_heads(heads, n, mem);
    free(heads);
    return mem->error;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int run_in_turn(const attention_problem *p, const attention_step *step,
                       memory *mem)
{
    size_t tiles = 0, scratch = 0, extra = 0;
    double start = stopwatch();

    for (size_t nth = 0; nth < heads_of(p); nth++) {
        head one = head_at(p, nth);

        if (stopwatch() - start > 1)
            progress("%s: head %zu of %zu", step->name, nth + 1, heads_of(p));
        if (step->run(&one, mem))
            break;
        tiles = larger(tiles, mem->tiles);
        scratch = larger(scratch, mem->scratch);
        extra = larger(extra, mem->extra);
        memory_reset(mem);
    }
    progress_done();
    if (mem->error)
        return mem->error;
    mem->tiles = tiles;
    mem->scratch = scratch;
    mem->extra = extra;
    return 0;
}

int heads_run(const attention_problem *p, const attention_step *step,
              memory *mem)
{
    if (heads_of(p) == 0)
        return 0;
    return step->run_heads ? run_together(p, step, mem)
                           : run_in_turn(p, step, mem);
}

counts heads_formula(const attention_problem *p, const attention_step *step,
                     size_t M)
{
    counts sum = {.exps = 0};

    for (size_t nth = 0; nth < heads_of(p); nth++) {
        head one = head_at(p, nth);
        counts c = step->formula(&one, step->tiles ? step->tiles(&one, M)
                                                   : (tile_sizes){0, 0});

        counts_add(&sum, &c);
    }
    return sum;
}
