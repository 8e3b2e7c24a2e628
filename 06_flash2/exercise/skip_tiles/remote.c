/*
 * tiles_to_visit, asked of a worker (tools/grade/remote.h).
 */
#include "skip_tiles.h"

#include "tools/grade/remote.h"

typedef struct {
    size_t i0, br, Nk, Bc;
    long offset;
} asked;

#ifdef JUDGE
tile_range tiles_to_visit(size_t i0, size_t br, size_t Nk, size_t Bc,
                          long offset)
{
    asked a = {i0, br, Nk, Bc, offset};
    tile_range r;

    SAY(a);
    exchange();
    HEAR(r);
    return r;
}
#else
void serve(void)
{
    asked a;
    tile_range r;

    HEAR(a);
    r = tiles_to_visit(a.i0, a.br, a.Nk, a.Bc, a.offset);
    SAY(r);
}
#endif
