/* wrong: every chunk has a row at least */
/* message: fewer rows than chunks: some are empty */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t first = c * N / (2 * P);
    size_t n = (c + 1) * N / (2 * P) - first;

    return (chunk){first, n > 0 ? n : 1};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, r), chunk_at(N, P, 2 * P - 1 - r)}};
}
