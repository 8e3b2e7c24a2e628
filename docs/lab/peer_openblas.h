/*
 * Attention as three calls a head, with OpenBLAS for both products:
 *
 *     S = scale Q K^T     cblas_sgemm
 *     P = softmax(S)      a row at a time, with the e^x of flash2_lanes
 *     O = P V             cblas_sgemm
 *
 * Heads are spread over all cores, and OpenBLAS has one thread in each. With a
 * causal limit both products are computed in full, and P is 0 beyond it.
 *
 * The library is opened when the program runs, so that nothing needs it to be
 * built. One from before a CPU was made takes it for an old one, and is slow:
 * so it is told which of its kernels to take, before it is opened.
 */
#ifndef LAB_PEER_OPENBLAS_H
#define LAB_PEER_OPENBLAS_H

#include "common/layer.h"

/* The library that the environment's OPENBLAS names, or the system's. Returns
 * its version, or NULL if there is none. */
const char *openblas_open(void);

layer_fn openblas_attention_layer;

#endif
