/*
 * What one load of a warp costs: 32 lanes ask for their bytes of a tile. The
 * arithmetic is the emulator's, which counts every rung of chapter 07 with it.
 */
#ifndef BOOK_WARP_STEPS_H
#define BOOK_WARP_STEPS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LANES = 32 };

/* Lane l reads `bytes` bytes of row l / across, beside the l % across before
 * it; a row begins `row` bytes after the one above. */
typedef struct {
    size_t bytes, row, across, swizzle;
    size_t at[LANES]; /* the address of each lane's bytes */
    char error[120];  /* "" if there is such a load */
} warp_load;

void warp_load_of(warp_load *w, size_t bytes, size_t row, size_t across,
                  size_t swizzle);

/* Of lanes first .. end - 1 alone. */
typedef struct {
    size_t wavefronts, fewest_wavefronts; /* from shared memory */
    size_t sectors, fewest_sectors;       /* from global memory */
} warp_cost;

warp_cost warp_cost_of(const warp_load *w, size_t first, size_t end);

/* Where the 128-byte swizzle keeps what would be at `at`. */
size_t warp_swizzled(size_t at);

#ifdef __cplusplus
}
#endif

#endif
