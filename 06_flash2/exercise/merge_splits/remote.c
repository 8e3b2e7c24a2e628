/*
 * merge_splits, asked of a worker (tools/grade/remote.h).
 */
#include "merge_splits.h"

#include "tools/grade/remote.h"

static void over(float **o, matrix *O, const float **L)
{
    GIVE_MATRIX(*O);
    GIVE_ALL(*L, O->rows);
    GIVE_ALL(*o, O->cols);
}

static void back(float *o, size_t dv, float *merged)
{
    TAKE_ALL(o, dv);
    TAKE(*merged);
}

#ifdef JUDGE
float merge_splits(float *o, matrix O, const float *L)
{
    float merged;

    over(&o, &O, &L);
    exchange();
    back(o, O.cols, &merged);
    return merged;
}
#else
void serve(void)
{
    matrix O;
    const float *L;
    float *o, merged;

    over(&o, &O, &L);
    merged = merge_splits(o, O, L);
    back(o, O.cols, &merged);
}
#endif
