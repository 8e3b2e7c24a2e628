/*
 * merge_splits, asked of a worker (tools/grade/remote.h).
 */
#include "merge_splits.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
float merge_splits(float *o, matrix O, const float *L)
{
    float merged;

    SAY(O.rows);
    SAY(O.cols);
    SAY_ALL(O.data, O.rows * O.cols);
    SAY_ALL(L, O.rows);
    exchange();
    HEAR_ALL(o, O.cols);
    HEAR(merged);
    return merged;
}
#else
void serve(void)
{
    size_t rows, cols;
    float *O, *L, *o, merged;

    HEAR(rows);
    HEAR(cols);
    O = heard_floats(rows * cols);
    L = heard_floats(rows);
    o = calloc(cols, sizeof *o);
    merged = merge_splits(o, matrix_of(O, rows, cols), L);
    SAY_ALL(o, cols);
    SAY(merged);
    free(O);
    free(L);
    free(o);
}
#endif
