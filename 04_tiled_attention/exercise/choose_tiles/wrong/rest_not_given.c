/* wrong: keys get one row, whatever is left */
/* message: as many tiles of queries with a larger Bc */
#include "choose_tiles.h"

tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M)
{
    size_t rows = M / (d + dv), Br;

    if (rows < 2)
        return (tile_sizes){0, 0};
    Br = min_size(Nq, rows - 1);
    return (tile_sizes){Br, min_size(Nk, rows - Br)};
}
