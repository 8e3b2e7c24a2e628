/* For faults.sh: allocation STARVE fails, and descriptor 3 is told. */
#define _GNU_SOURCE

#include "common/testing/starve.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
    starve_after(atol(getenv("STARVE")) - 1);
}

__attribute__((destructor)) static void end(void)
{
    if (starve_end())
        dprintf(3, "INJECTED\n");
}
