/* wrong: chunks are rounded up, and the last one has what is left */
/* message: there are chunks of 1 and of 3 rows */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t n = (N + 2 * P - 1) / (2 * P);
    size_t first = c * n < N ? c * n : N;

    return (chunk){first, n < N - first ? n : N - first};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, r), chunk_at(N, P, 2 * P - 1 - r)}};
}
