/* What the kernels need of stdio.h in a browser: libc.c. */
#ifndef BOOK_STDIO_H
#define BOOK_STDIO_H
#include <stddef.h>
int snprintf(char *at, size_t size, const char *format, ...);
#endif
