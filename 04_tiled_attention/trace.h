/*
 * `./run --trace` of chapter 04.
 */
#ifndef TILED_ATTENTION_TRACE_H
#define TILED_ATTENTION_TRACE_H

/* Prints the toy by standard and by tiled attention; returns an exit code. */
int trace_tiled_attention(void);

#endif
