/*
 * Chapter 04: from standard attention to a tile of keys at a time. One query
 * row at a time, so the only tile size is Bc, of tiled_attention.
 */
#ifndef TILED_ATTENTION_STEPS_H
#define TILED_ATTENTION_STEPS_H

#include "common/head.h"

/* S and P stored in HBM: three operations on whole matrices. */
int standard_attention(const head *h, memory *mem);
/* Scores recomputed for maximum, sum and output. */
int three_pass_attention(const head *h, memory *mem);
/* Scores recomputed for (maximum, sum) and output. */
int two_pass_attention(const head *h, memory *mem);
/* Each key and value once a query; o normalised at every key. */
int one_pass_attention(const head *h, memory *mem);
/* The same, Bc keys at a time. */
int tiled_attention(const head *h, memory *mem);

/*
 * h->Bc if given; else the largest Bc with q, o and Bc rows of K and of V in
 * M elements, and at least 1. Br is 1.
 */
tile_sizes tiled_tiles(const head *h, size_t M);

/* HBM traffic by formula (traffic.c). */
counts standard_traffic(const head *h, tile_sizes t);
counts three_pass_traffic(const head *h, tile_sizes t);
counts two_pass_traffic(const head *h, tile_sizes t);
counts one_pass_traffic(const head *h, tile_sizes t);

static const attention_step chapter_04_steps[] = {
    {"standard_attention", FP32, "S = QK^T, P = softmax(S), O = PV, S stored",
     standard_attention, NULL, NULL, standard_traffic},
    {"three_pass_attention", FP32, "S not stored: scores computed 3 times",
     three_pass_attention, NULL, NULL, three_pass_traffic},
    {"two_pass_attention", FP32, "online softmax: scores computed twice",
     two_pass_attention, NULL, NULL, two_pass_traffic},
    {"one_pass_attention", FP32, "the output joins the running state",
     one_pass_attention, NULL, NULL, one_pass_traffic},
    {"tiled_attention", FP32, "the same, a tile of Bc keys at a time",
     tiled_attention, NULL, tiled_tiles, one_pass_traffic},
    {0},
};

#endif
