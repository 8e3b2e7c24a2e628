/*
 * Only Br is in the formula for the traffic: it gets all rows of the chip
 * except one. Then Bc gets as many of them as possible without one more tile of
 * queries.
 */
#include "choose_tiles.h"

tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M)
{
    size_t rows = M / (d + dv), Br;

    if (rows < 2)
        return (tile_sizes){0, 0};
    Br = min_size(Nq, rows - 1);
    Br = tiles(Nq, tiles(Nq, Br)); /* the least with as few tiles */
    return (tile_sizes){Br, min_size(Nk, rows - Br)};
}
