/*
 * `./run --trace` of chapter 06.
 */
#ifndef FLASH2_TRACE_H
#define FLASH2_TRACE_H

/* Prints the toy by FlashAttention-2; returns an exit code. */
int trace_flash2(void);

#endif
