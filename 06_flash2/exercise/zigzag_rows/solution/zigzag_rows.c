/*
 * Chunk c begins at row floor(c N / 2P), and ends where the next one begins.
 */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t first = c * N / (2 * P);

    return (chunk){first, (c + 1) * N / (2 * P) - first};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, r), chunk_at(N, P, 2 * P - 1 - r)}};
}
