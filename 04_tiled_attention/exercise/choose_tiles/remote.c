/*
 * choose_tiles, asked of a worker (tools/grade/remote.h).
 */
#include "choose_tiles.h"

#include "tools/grade/remote.h"

#ifdef JUDGE
tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M)
{
    const size_t sizes[5] = {Nq, Nk, d, dv, M};
    tile_sizes t;

    SAY(sizes);
    exchange();
    HEAR(t);
    return t;
}
#else
void serve(void)
{
    size_t n[5];
    tile_sizes t;

    HEAR(n);
    t = choose_tiles(n[0], n[1], n[2], n[3], n[4]);
    SAY(t);
}
#endif
