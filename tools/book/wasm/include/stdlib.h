/* What the kernels need of stdlib.h in a browser: libc.c. */
#ifndef BOOK_STDLIB_H
#define BOOK_STDLIB_H
#include <stddef.h>
void *malloc(size_t size);
void free(void *block);
#endif
