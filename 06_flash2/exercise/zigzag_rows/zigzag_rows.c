/* Exercise 06: so far rank 0 owns all rows (zigzag_rows.h). */
#include "zigzag_rows.h"

#include "common/testing/todo.h"

owned zigzag_rows(size_t N, size_t P, size_t r)
{
    TODO("where do chunks r and 2P - 1 - r begin, and where do they end?");
    return (owned){{{0, r == 0 ? N : 0}, {0, 0}}};
}
