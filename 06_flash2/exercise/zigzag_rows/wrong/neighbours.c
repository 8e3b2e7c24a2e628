/* wrong: rank r owns neighbouring chunks, 2r and 2r + 1 */
/* message: pairs 10 26; all wait for 26, so the balance is 0.692 */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t first = c * N / (2 * P);

    return (chunk){first, (c + 1) * N / (2 * P) - first};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, 2 * r), chunk_at(N, P, 2 * r + 1)}};
}
