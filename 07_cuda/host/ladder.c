/*
 * The ladder as a table (rung.h).
 */
#include "07_cuda/rung.h"

#define FP32_TYPE   FP32, false, false, false
#define NARROW_TYPE BF16, true, false, false
#define HOPPER_TYPE BF16, false, true, false
#define FP8_TYPE    BF16, false, true, true
#define LIST(...)   __VA_ARGS__

#define AS_ROW(name, type, bytes, Br, Bc, idea)                                \
    [RUNG_##                                                                   \
        name] = {#name, idea, type##_TYPE, rung_##name, {LIST Br}, {LIST Bc}},

const rung ladder[RUNGS] = {LADDER(AS_ROW)};
const int head_size[HEAD_SIZES] = {32, 64, 128, 256};

precision rung_type(const rung *r, precision asked)
{
    return r->fp16 && asked == FP16 ? FP16 : r->type;
}

int rung_columns(const rung *r, size_t at_least)
{
    for (int k = 0; k < HEAD_SIZES; k++)
        if (at_least <= (size_t)head_size[k] && r->Br[k] > 0)
            return head_size[k];
    return 0;
}

static int rows_for(const int rows[HEAD_SIZES], int D)
{
    for (int k = 0; k < HEAD_SIZES; k++)
        if (head_size[k] == D)
            return rows[k];
    return 0;
}

int rung_Br(const rung *r, int D)
{
    return rows_for(r->Br, D);
}

int rung_Bc(const rung *r, int D)
{
    return rows_for(r->Bc, D);
}
