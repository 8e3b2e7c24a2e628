/*
 * Chapter 04: from standard attention to tiles of keys. Each step handles one
 * query row at a time, so the only tile size is tiled_attention's Bc.
 */
#ifndef TILED_ATTENTION_STEPS_H
#define TILED_ATTENTION_STEPS_H

#include "common/step.h"

/* Runs three operations on whole matrices; stores S and P in HBM. */
int standard_attention(const head *h, memory *mem);
/* Computes the scores three times: for maximum, sum and output. */
int three_pass_attention(const head *h, memory *mem);
/* Computes the scores twice: for maximum and sum, then for the output. */
int two_pass_attention(const head *h, memory *mem);
/* Loads each key and value once per query; normalises o at every key. */
int one_pass_attention(const head *h, memory *mem);
/* Like one_pass_attention, with Bc keys at a time. */
int tiled_attention(const head *h, memory *mem);

/*
 * Returns h->tile.Bc if it is set. Otherwise returns the largest Bc, at least
 * 1, for which q, o and Bc rows of K and of V fit in M elements. Br is 1.
 */
tile_sizes tiled_tiles(const head *h, size_t M);

/* Return the HBM traffic of one head by formula, in elements (traffic.c). */
counts standard_traffic(const head *h, tile_sizes t);
counts three_pass_traffic(const head *h, tile_sizes t);
counts two_pass_traffic(const head *h, tile_sizes t);
counts one_pass_traffic(const head *h, tile_sizes t);
counts tiled_traffic(const head *h, tile_sizes t);

/* Returns the bytes of P, which standard_attention stores, or 0 if `only`, the
 * only step to run, is another step. The other steps need much less. */
double standard_bytes(const head *h, const char *only);

/* Prints the toy problem step by step, for --trace. Returns an exit code. */
int trace_tiled_attention(void);

/* The two steps with which later chapters compare theirs. */
#define STANDARD_ATTENTION                                                     \
    {                                                                          \
        .name = "standard_attention",                                          \
        .idea = "S = QK^T, P = softmax(S), O = PV, S stored",                  \
        .run = standard_attention, .leaves = LEAVES_P,                         \
        .formula = standard_traffic                                            \
    }
#define TILED_ATTENTION                                                        \
    {                                                                          \
        .name = "tiled_attention",                                             \
        .idea = "the same, a tile of Bc keys at a time",                       \
        .run = tiled_attention, .tiles = tiled_tiles, .formula = tiled_traffic \
    }
static const attention_step standard_step = STANDARD_ATTENTION;
static const attention_step tiled_step = TILED_ATTENTION;

static const attention_step chapter_04_steps[] = {
    STANDARD_ATTENTION,
    {.name = "three_pass_attention",
     .idea = "S not stored: scores computed 3 times",
     .run = three_pass_attention,
     .formula = three_pass_traffic},
    {.name = "two_pass_attention",
     .idea = "online softmax: scores computed twice",
     .run = two_pass_attention,
     .formula = two_pass_traffic},
    {.name = "one_pass_attention",
     .idea = "the output joins the running state",
     .run = one_pass_attention,
     .formula = one_pass_traffic},
    TILED_ATTENTION,
    {0},
};

#endif
