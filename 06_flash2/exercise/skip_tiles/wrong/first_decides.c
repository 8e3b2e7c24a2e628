/* wrong: visits only what the first query sees */
/* message: the last query of the tile sees most */
#include "skip_tiles.h"

#include "common/matrix.h"

/* How many keys query i sees. */
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
    size_t most = seen_by(i0, Nk, offset);

    /* Of Nk keys all are seen: then the last tile is full, if smaller too. */
    return (tile_range){fewest == Nk ? tiles(Nk, Bc) : fewest / Bc,
                        tiles(most, Bc)};
}
