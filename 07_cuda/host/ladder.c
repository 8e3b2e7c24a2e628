/* The tables of rungs (rung.h) and of cards (device.h). */
#include "07_cuda/host/device.h"

/* The same name is in the table, in RUNG_... and in rung_.... */
#define RUNG(number_, name_, idea_, ...)                                       \
    [RUNG_##name_] = {.number = #number_,                                      \
                      .name = #name_,                                          \
                      .idea = idea_,                                           \
                      .run = rung_##name_,                                     \
                      __VA_ARGS__}
#define TENSOR_CORES .type = BF16, .fp16 = true

const rung ladder[RUNGS] = {
    RUNG(0, standard, "three launches; S and P through HBM",
         .needs = {TURING, {9, 9, 9, 9}}, .Br = {32, 32, 32, 32},
         .Bc = {32, 32, 32, 32}),
    RUNG(1, flash1, "a thread per query; O, m, l through HBM",
         .needs = {TURING, {8, 16, 32, 32}}, .Br = {128, 128, 128, 128},
         .Bc = {32, 32, 32, 16}),
    RUNG(2, flash2, "queries outside; O, m, l in registers",
         .needs = {TURING, {8, 16, 32, 32}}, .Br = {128, 128, 64, 32},
         .Bc = {32, 32, 32, 16}),
    RUNG(3, float4, "memory four floats at a time",
         .needs = {TURING, {8, 16, 32, 32}}, .Br = {128, 128, 64, 32},
         .Bc = {32, 32, 32, 16}),
    RUNG(4, warp_tiles, "a tile of registers per lane",
         .needs = {TURING, {25, 49, 97, 0}}, .Br = {128, 128, 128, 0},
         .Bc = {32, 32, 32, 0}),
    RUNG(5a, sliced_k, "tensor cores; the warps share queries", TENSOR_CORES,
         .needs = {AMPERE, {55, 67, 91, 0}}, .Br = {64, 64, 64, 0},
         .Bc = {64, 64, 64, 0}),
    RUNG(5b, split_q, "each warp has its own queries", TENSOR_CORES,
         .needs = {AMPERE, {8, 16, 32, 0}}, .Br = {64, 64, 64, 0},
         .Bc = {64, 64, 64, 0}),
    RUNG(6a, swizzle, "ldmatrix, and no bank conflicts", TENSOR_CORES,
         .needs = {AMPERE, {8, 16, 32, 0}}, .Br = {64, 64, 64, 0},
         .Bc = {64, 64, 64, 0}),
    RUNG(6b, cp_async, "the next tile is copied meanwhile", TENSOR_CORES,
         .needs = {AMPERE, {16, 32, 64, 0}}, .Br = {64, 64, 64, 0},
         .Bc = {64, 64, 64, 0}),
    RUNG(7, full, "32 rows per warp, exp2, causal order", TENSOR_CORES,
         .needs = {AMPERE, {24, 48, 48, 64}}, .Br = {128, 128, 128, 64},
         .Bc = {64, 64, 32, 32}),
    RUNG(8, wgmma, "wgmma; TMA copies whole tiles", .type = BF16,
         .needs = {HOPPER, {0, 82, 162, 0}}, .Br = {0, 128, 128, 0},
         .Bc = {0, 128, 128, 0}),
    RUNG(9, roles, "one warpgroup loads, the others compute", .type = BF16,
         .needs = {HOPPER, {0, 154, 210, 0}}, .Br = {0, 192, 128, 0},
         .Bc = {0, 128, 128, 0}),
    RUNG(10, pingpong, "softmax during matrix products", .type = BF16,
         .needs = {HOPPER, {0, 154, 210, 0}}, .Br = {0, 192, 128, 0},
         .Bc = {0, 128, 128, 0}),
    RUNG(11, fp8, "fp8 e4m3, a scale for each block", .type = BF16, .fp8 = true,
         .needs = {HOPPER, {0, 78, 146, 0}}, .Br = {0, 192, 128, 0},
         .Bc = {0, 128, 128, 0}),
    RUNG(12, split_kv, "keys in parts over the grid, then merged", .type = BF16,
         .needs = {HOPPER, {0, 105, 113, 0}}, .Br = {0, 64, 64, 0},
         .Bc = {0, 128, 64, 0}),
};

const int head_size[HEAD_SIZES] = {32, 64, 128, 256};

precision rung_type(const rung *r, precision requested)
{
    return r->fp16 && requested == FP16 ? FP16 : r->type;
}

int columns_for(const demand *n, size_t at_least)
{
    for (int k = 0; k < HEAD_SIZES; k++)
        if (at_least <= (size_t)head_size[k] && n->KiB[k] > 0)
            return head_size[k];
    return 0;
}

int widest_of(const demand *n)
{
    int k = HEAD_SIZES - 1;

    while (n->KiB[k] == 0)
        k--;
    return head_size[k];
}

const card cards[] = {
    {"T4", 75, 64},      {"RTX 30", 86, 99},
    {"RTX 40", 89, 99},  {"L4", 89, 99},
    {"RTX 50", 120, 99}, {"A100", 80, 163},
    {"H100", 90, 227},   {"GH200", 90, 227},
    {"B200", 100, 227},  {0},
};

bool card_runs(const card *c, const demand *n, int D, char why[REASON])
{
    int KiB = rows_for(n->KiB, D);

    if (n->capability == HOPPER ? c->capability != HOPPER
                                : c->capability < n->capability) {
        snprintf(why, REASON, "needs compute capability %d.%d%s",
                 n->capability / 10, n->capability % 10,
                 n->capability == HOPPER ? "" : " or later");
        return false;
    }
    snprintf(why, REASON, "needs %d KiB of shared memory, this card has %d",
             KiB, c->KiB);
    return KiB <= c->KiB;
}

int rows_for(const int rows[HEAD_SIZES], int D)
{
    for (int k = 0; k < HEAD_SIZES; k++)
        if (head_size[k] == D)
            return rows[k];
    return 0;
}
