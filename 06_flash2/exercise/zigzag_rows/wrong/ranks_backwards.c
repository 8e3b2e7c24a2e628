/* wrong: rank 0 owns the chunks in the middle */
/* message: rank 0 has the first chunk and the last */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t first = c * N / (2 * P);

    return (chunk){first, (c + 1) * N / (2 * P) - first};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, P - 1 - r), chunk_at(N, P, P + r)}};
}
