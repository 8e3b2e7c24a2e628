/* wrong: tiles of all that the chip holds */
/* message: a tile is larger than the head */
#include "choose_tiles.h"

tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M)
{
    size_t rows = M / (d + dv), Br;

    if (rows < 2)
        return (tile_sizes){0, 0};
    Br = rows - 1;
    return (tile_sizes){Br, rows - Br};
}
