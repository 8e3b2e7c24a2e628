/* wrong: divides first: the rest belongs to nobody */
/* message: 2P does not divide N: who has the rest? */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t n = N / (2 * P);

    return (chunk){c * n, n};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, r), chunk_at(N, P, 2 * P - 1 - r)}};
}
