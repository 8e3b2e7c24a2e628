/*
 * The ladder as a table (rung.h).
 */
#include "07_cuda/rung.h"

/* A rung has one name in the table, in its enumeration and in its function. */
#define RUNG(name_, idea_, ...)                                                \
    [RUNG_##name_] = {                                                         \
        .name = #name_, .idea = idea_, .run = rung_##name_, __VA_ARGS__}

const rung ladder[RUNGS] = {
    RUNG(flash1, "a thread per query; O, m, l through HBM",
         .Br = {128, 128, 128, 128}, .Bc = {32, 32, 32, 16}),
    RUNG(flash2, "queries outside; O, m, l in registers",
         .Br = {128, 128, 64, 32}, .Bc = {32, 32, 32, 16}),
    RUNG(float4, "memory four floats at a time", .Br = {128, 128, 64, 32},
         .Bc = {32, 32, 32, 16}),
    RUNG(warp_tiles, "a tile of registers per lane", .Br = {128, 128, 128, 0},
         .Bc = {32, 32, 32, 0}),
    RUNG(sliced_k, "tensor cores; the warps share queries", .type = BF16,
         .fp16 = true, .Br = {64, 64, 64, 0}, .Bc = {64, 64, 64, 0}),
    RUNG(split_q, "each warp has its own queries", .type = BF16, .fp16 = true,
         .Br = {64, 64, 64, 0}, .Bc = {64, 64, 64, 0}),
    RUNG(swizzle, "ldmatrix, and no bank conflicts", .type = BF16, .fp16 = true,
         .Br = {64, 64, 64, 0}, .Bc = {64, 64, 64, 0}),
    RUNG(cp_async, "the next tile travels meanwhile", .type = BF16,
         .fp16 = true, .Br = {64, 64, 64, 0}, .Bc = {64, 64, 64, 0}),
    RUNG(full, "32 rows per warp, exp2, causal order", .type = BF16,
         .fp16 = true, .Br = {128, 128, 128, 64}, .Bc = {64, 64, 32, 32}),
    RUNG(wgmma, "wgmma and TMA: tiles come by themselves", .type = BF16,
         .hopper = true, .Br = {0, 128, 128, 0}, .Bc = {0, 128, 128, 0}),
    RUNG(roles, "one warpgroup loads, the others compute", .type = BF16,
         .hopper = true, .Br = {0, 192, 128, 0}, .Bc = {0, 128, 128, 0}),
    RUNG(pingpong, "softmax beside matrix products", .type = BF16,
         .hopper = true, .Br = {0, 192, 128, 0}, .Bc = {0, 128, 128, 0}),
    RUNG(fp8, "fp8 e4m3, a scale for each block", .type = BF16, .hopper = true,
         .fp8 = true, .Br = {0, 192, 128, 0}, .Bc = {0, 128, 128, 0}),
    RUNG(split_kv, "keys in parts over the grid, then merged", .type = BF16,
         .hopper = true, .Br = {0, 64, 64, 0}, .Bc = {0, 128, 64, 0}),
};

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
