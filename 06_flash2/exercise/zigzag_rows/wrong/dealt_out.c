/* wrong: deals the chunks out: r and P + r */
/* message: pairs 14 22; all wait for 22, so the balance is 0.818 */
#include "zigzag_rows.h"

static chunk chunk_at(size_t N, size_t P, size_t c)
{
    size_t first = c * N / (2 * P);

    return (chunk){first, (c + 1) * N / (2 * P) - first};
}

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    return (owned){{chunk_at(N, P, r), chunk_at(N, P, P + r)}};
}
