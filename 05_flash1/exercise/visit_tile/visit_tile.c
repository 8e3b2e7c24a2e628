/* Exercise 05: the task is in visit_tile.h. */
#include "visit_tile.h"

#include <math.h>

#include "common/scores.h"
#include "common/testing/todo.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));

    TODO("rescale l and o to the new maximum, add the tile, divide o by l");
    r->m = m_new;
}
