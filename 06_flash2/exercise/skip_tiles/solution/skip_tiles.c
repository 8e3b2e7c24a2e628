/*
 * The last query sees the most keys, so it determines which tiles are visited.
 * The first sees the fewest, so it determines which are full.
 */
#include "skip_tiles.h"

#include "common/matrix.h"

/* Returns the number of keys that query i sees. */
static size_t seen_by(size_t i, size_t Nk, long offset)
{
    if (offset < 0 && i < (size_t)-offset)
        return 0;
    return min_size(Nk, i + (size_t)offset + 1);
}

tile_range tiles_to_visit(size_t i0, size_t br, size_t Nk, size_t Bc,
                          long offset)
{
    size_t fewest = seen_by(i0, Nk, offset);
    size_t most = seen_by(i0 + br - 1, Nk, offset);

    /* If all Nk keys are seen, the last tile is full even if it is smaller. */
    return (tile_range){fewest == Nk ? tiles(Nk, Bc) : fewest / Bc,
                        tiles(most, Bc)};
}
