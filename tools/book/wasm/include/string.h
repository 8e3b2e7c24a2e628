/* What the kernels need of string.h in a browser: libc.c. */
#ifndef BOOK_STRING_H
#define BOOK_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *at, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
#endif
