/*
 * For a test with a malloc of its own: the malloc that it goes on to. gcc's
 * sanitizers and the C library come next; clang's are part of the program. The
 * first call comes before they are ready for what they have the compiler add.
 */
#ifndef COMMON_NEXT_MALLOC_H
#define COMMON_NEXT_MALLOC_H

#include <dlfcn.h>
#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void free(void *p);

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t n, size_t size);
void __interceptor_free(void *p);
#define NEXT(name)    ((void *)__interceptor_##name)
#define NOT_SANITIZED __attribute__((disable_sanitizer_instrumentation))
#else
#define NEXT(name) dlsym(RTLD_NEXT, #name)
#define NOT_SANITIZED
#endif

#endif
