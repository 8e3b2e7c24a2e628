/*
 * zigzag_rows, asked of a worker (tools/grade/remote.h).
 * the skeleton holds: every_row_has_one_owner
 * the skeleton holds: chunks_lie_one_behind_the_other
 * the skeleton holds: the_rows_that_are_left_over_have_owners
 * the skeleton holds: one_rank_owns_all
 */
#include "zigzag_rows.h"

#include "tools/grade/remote.h"

typedef struct {
    size_t N, P, r;
} asked;

#ifdef JUDGE
owned zigzag_rows(size_t N, size_t P, size_t r)
{
    asked a = {N, P, r};
    owned rows;

    SAY(a);
    exchange();
    HEAR(rows);
    return rows;
}
#else
void serve(void)
{
    asked a;
    owned rows;

    HEAR(a);
    rows = zigzag_rows(a.N, a.P, a.r);
    SAY(rows);
}
#endif
