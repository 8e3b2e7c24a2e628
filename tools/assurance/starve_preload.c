/*
 * For faults.sh, to be preloaded: allocation number STARVE fails, once. When
 * there was one, the file STARVED is there afterwards.
 */
#define _GNU_SOURCE

#include "common/testing/starve.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    const char *n = getenv("STARVE");

    if (n)
        starve_after(strtol(n, NULL, 10));
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("STARVED");

    if (starve_end() && path)
        close(open(path, O_CREAT | O_WRONLY, 0600));
}
