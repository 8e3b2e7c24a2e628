/* Exercise 05: the task is in score_gradient_row.h. */
#include "score_gradient_row.h"

#include "common/testing/todo.h"

void score_gradient_row(float *ds, const attention_row *r)
{
    for (size_t j = 0; j < r->V.rows; j++)
        ds[j] = r->p[j] * dot(r->dO, row(r->V, j), r->V.cols);

    TODO("subtract the mean of dO . V_j, and multiply by the slope of s");
}
