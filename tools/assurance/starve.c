/*
 * For faults.sh, to be preloaded: allocation number STARVE fails, once. The
 * file STARVED says so afterwards.
 */
#define _GNU_SOURCE

#include "common/testing/starve.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
    starve_after(atol(getenv("STARVE")) - 1);
}

__attribute__((destructor)) static void end(void)
{
    FILE *file = starve_end() ? fopen(getenv("STARVED"), "w") : NULL;

    if (file)
        fclose((fputs("INJECTED", file), file));
}
