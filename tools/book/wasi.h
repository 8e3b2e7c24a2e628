/* Included before each file that is compiled to WebAssembly. Replaces what some
 * versions of wasi-libc lack: links and permissions of files (npy_write.c),
 * which a page does not have, and the clock of a thread (peak.c). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define fchmod(file, mode) (void)((void)(file), (mode))
#define realpath(path, to) strcpy(to, path)
#ifndef CLOCK_THREAD_CPUTIME_ID
#define CLOCK_THREAD_CPUTIME_ID CLOCK_MONOTONIC
#endif
