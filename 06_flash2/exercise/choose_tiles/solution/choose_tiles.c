/*
 * The traffic depends on Br and not on Bc. So Br first gets all rows that fit
 * on the chip, except one row for Bc. Then Br gives rows to Bc while the number
 * of query tiles stays the same.
 */
#include "choose_tiles.h"

tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M)
{
    size_t rows = M / (d + dv), Br;

    if (rows < 2)
        return (tile_sizes){0, 0};
    Br = min_size(Nq, rows - 1);
    Br = tiles(Nq, tiles(Nq, Br)); /* least Br for this Tr */
    return (tile_sizes){Br, min_size(Nk, rows - Br)};
}
