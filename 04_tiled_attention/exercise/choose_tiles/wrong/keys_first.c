/* wrong: keys get what there is, as in a loop over keys outside */
/* message: there are tiles that fit */
#include "choose_tiles.h"

tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M)
{
    size_t rows = M / (d + dv), Br;

    if (rows < 2)
        return (tile_sizes){0, 0};
    size_t Bc = min_size(Nk, rows);
    Br = min_size(Nq, rows - Bc);
    return (tile_sizes){Br, Bc};
}
