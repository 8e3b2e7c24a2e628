/* wrong: counts the last chunk as 2P */
/* message: rank 0 of 2 is given 2 rows from row 8 on */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t first = c * N / (2 * P);

    return (chunk){first, (c + 1) * N / (2 * P) - first};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, r), chunk_at(N, P, 2 * P - r)}};
}
