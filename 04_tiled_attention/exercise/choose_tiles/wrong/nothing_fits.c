/* wrong: a chip that holds no row is not looked for */
/* message: not one query and one key fit: 0 and 0 */
#include "choose_tiles.h"

tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M)
{
    size_t rows = M / (d + dv), Br;

    Br = min_size(Nq, rows - 1);
    Br = tiles(Nq, tiles(Nq, Br)); /* the least that makes as few tiles */
    return (tile_sizes){Br, min_size(Nk, rows - Br)};
}
