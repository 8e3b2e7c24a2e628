/*
 * Finding the bundled data (bundled.h).
 */
#include "common/problem/bundled.h"

#include <stdio.h>
#include <unistd.h>

int bundled_missing(void)
{
    if (access(BUNDLED_Q, F_OK) == 0)
        return 0;
    fprintf(stderr,
            "%s: not found from here (run this program in the folder that "
            "holds common/)\n",
            BUNDLED_Q);
    return 1;
}
