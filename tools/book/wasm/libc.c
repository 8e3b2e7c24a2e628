/*
 * The little of a C library that the kernels need in a browser.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/book/steps/text.h"

extern unsigned char __heap_base; /* the linker's: where free memory begins */

static uintptr_t top;
static size_t blocks;

/* Upwards only; once all blocks are freed, from the start again. */
void *malloc(size_t size)
{
    const uintptr_t page = 65536;
    uintptr_t begin = blocks ? top : (uintptr_t)&__heap_base;
    uintptr_t have = __builtin_wasm_memory_size(0) * page;

    begin = (begin + 15) & ~(uintptr_t)15;
    if (size > UINT32_MAX - page - begin)
        return NULL;
    if (begin + size > have &&
        __builtin_wasm_memory_grow(0, (begin + size - have + page - 1) /
                                          page) == SIZE_MAX)
        return NULL;
    top = begin + size;
    blocks++;
    return (void *)begin;
}

void free(void *block)
{
    if (block)
        blocks--;
}

void *memcpy(void *to, const void *from, size_t n)
{
    for (size_t k = 0; k < n; k++)
        ((char *)to)[k] = ((const char *)from)[k];
    return to;
}

void *memset(void *at, int byte, size_t n)
{
    for (size_t k = 0; k < n; k++)
        ((char *)at)[k] = (char)byte;
    return at;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *p = a, *q = b;

    for (size_t k = 0; k < n; k++)
        if (p[k] != q[k])
            return p[k] - q[k];
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

int snprintf(char *at, size_t size, const char *format, ...)
{
    text t = text_in(at, size);
    va_list list;

    va_start(list, format);
    text_add_list(&t, format, list);
    va_end(list);
    return (int)t.used;
}
