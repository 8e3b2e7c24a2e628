/*
 * The addresses of a warp's load (warp_steps.h).
 */
#include "tools/book/steps/warp_steps.h"

#include <stdio.h>

void warp_load_of(warp_load *w, size_t bytes, size_t row, size_t across,
                  size_t swizzle)
{
    *w = (warp_load){bytes, row, across, swizzle, {0}, ""};
    if (bytes != 4 && bytes != 8 && bytes != 16)
        snprintf(w->error, sizeof w->error,
                 "a lane reads 4, 8 or 16 bytes, not %zu", bytes);
    else if (across == 0 || LANES % across != 0)
        snprintf(w->error, sizeof w->error,
                 "1, 2, 4, 8, 16 or 32 lanes in a row, not %zu", across);
    else if (row % bytes != 0 || row < across * bytes)
        snprintf(w->error, sizeof w->error,
                 "a row has a multiple of %zu bytes, and at least %zu, not %zu",
                 bytes, across * bytes, row);
    else if (swizzle > 1)
        snprintf(w->error, sizeof w->error, "swizzle is 0 or 1, not %zu",
                 swizzle);
    for (size_t l = 0; l < LANES && !w->error[0]; l++) {
        size_t at = l / across * row + l % across * bytes;

        w->at[l] = swizzle ? warp_swizzled(at) : at;
    }
}
