/* wrong: the last chunk has the whole rest */
/* message: there are chunks of 2 and of 4 rows */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t n = N / (2 * P);

    return (chunk){c * n, c + 1 < 2 * P ? n : N - c * n};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, r), chunk_at(N, P, 2 * P - 1 - r)}};
}
