/*
 * The ladder as a table (rung.h).
 */
#include "07_cuda/rung.h"

const rung ladder[RUNGS] = {
    [RUNG_flash1] = {.name = "flash1",
                     .idea = "a thread per query; O, m, l through HBM",
                     .run = rung_flash1,
                     .Br = {128, 128, 128, 128},
                     .Bc = {32, 32, 32, 16}},
    [RUNG_flash2] = {.name = "flash2",
                     .idea = "queries outside; O, m, l in registers",
                     .run = rung_flash2,
                     .Br = {128, 128, 64, 32},
                     .Bc = {32, 32, 32, 16}},
    [RUNG_float4] = {.name = "float4",
                     .idea = "memory four floats at a time",
                     .run = rung_float4,
                     .Br = {128, 128, 64, 32},
                     .Bc = {32, 32, 32, 16}},
    [RUNG_warp_tiles] = {.name = "warp_tiles",
                         .idea = "a tile of registers per lane",
                         .run = rung_warp_tiles,
                         .Br = {128, 128, 128, 0},
                         .Bc = {32, 32, 32, 0}},
    [RUNG_sliced_k] = {.name = "sliced_k",
                       .idea = "tensor cores; the warps share queries",
                       .type = BF16,
                       .fp16 = true,
                       .run = rung_sliced_k,
                       .Br = {64, 64, 64, 0},
                       .Bc = {64, 64, 64, 0}},
    [RUNG_split_q] = {.name = "split_q",
                      .idea = "each warp has its own queries",
                      .type = BF16,
                      .fp16 = true,
                      .run = rung_split_q,
                      .Br = {64, 64, 64, 0},
                      .Bc = {64, 64, 64, 0}},
    [RUNG_swizzle] = {.name = "swizzle",
                      .idea = "ldmatrix, and no bank conflicts",
                      .type = BF16,
                      .fp16 = true,
                      .run = rung_swizzle,
                      .Br = {64, 64, 64, 0},
                      .Bc = {64, 64, 64, 0}},
    [RUNG_cp_async] = {.name = "cp_async",
                       .idea = "the next tile travels meanwhile",
                       .type = BF16,
                       .fp16 = true,
                       .run = rung_cp_async,
                       .Br = {64, 64, 64, 0},
                       .Bc = {64, 64, 64, 0}},
    [RUNG_full] = {.name = "full",
                   .idea = "32 rows per warp, exp2, causal order",
                   .type = BF16,
                   .fp16 = true,
                   .run = rung_full,
                   .Br = {128, 128, 128, 64},
                   .Bc = {64, 64, 32, 32}},
    [RUNG_wgmma] = {.name = "wgmma",
                    .idea = "wgmma and TMA: tiles come by themselves",
                    .type = BF16,
                    .hopper = true,
                    .run = rung_wgmma,
                    .Br = {0, 128, 128, 0},
                    .Bc = {0, 128, 128, 0}},
    [RUNG_roles] = {.name = "roles",
                    .idea = "one warpgroup loads, the others compute",
                    .type = BF16,
                    .hopper = true,
                    .run = rung_roles,
                    .Br = {0, 192, 128, 0},
                    .Bc = {0, 128, 128, 0}},
    [RUNG_pingpong] = {.name = "pingpong",
                       .idea = "softmax beside matrix products",
                       .type = BF16,
                       .hopper = true,
                       .run = rung_pingpong,
                       .Br = {0, 192, 128, 0},
                       .Bc = {0, 128, 128, 0}},
    [RUNG_fp8] = {.name = "fp8",
                  .idea = "fp8 e4m3, a scale for each block",
                  .type = BF16,
                  .hopper = true,
                  .fp8 = true,
                  .run = rung_fp8,
                  .Br = {0, 192, 128, 0},
                  .Bc = {0, 128, 128, 0}},
    [RUNG_split_kv] = {.name = "split_kv",
                       .idea = "keys in parts over the grid, then merged",
                       .type = BF16,
                       .hopper = true,
                       .run = rung_split_kv,
                       .Br = {0, 64, 64, 0},
                       .Bc = {0, 128, 64, 0}},
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
