/*
 * `./run --trace` of chapter 05.
 */
#ifndef FLASH1_TRACE_H
#define FLASH1_TRACE_H

/* Prints the toy by FlashAttention; returns an exit code. */
int trace_flash1(void);

#endif
