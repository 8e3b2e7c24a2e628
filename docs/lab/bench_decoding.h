/*
 * The benchmark of decoding: one query a head and 65,536 keys, (1, 8, 1 x
 * 65536, d). Each K and V is read once for two multiply-adds, so memory is the
 * limit, and the measure: the same K and V read and nothing else, by the peak
 * probe, before and after each run.
 */
#ifndef LAB_BENCH_DECODING_H
#define LAB_BENCH_DECODING_H

#include <stddef.h>
#include <stdio.h>

/* The .tsv file's first line. */
void bench_decoding_header(FILE *tsv);

/* A line on stdout and in tsv for flash2_parallel, which has only the heads to
 * spread over the cores, for split_kv and for split_kv_simd. No round begins
 * after `until`, but for the first. Returns 0, or 1 after one line on stderr. */
int bench_decoding(FILE *tsv, size_t d, double until);

#endif
