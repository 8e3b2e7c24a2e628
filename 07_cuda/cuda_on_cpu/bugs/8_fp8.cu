/* 8_fp8.cu: mistakes with e4m3, as rung 11 uses it: in the order of its keys,
 * in scales, in widths. Most break no rule of the machine and are seen in the
 * numbers alone. Page: docs/hopper.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

/* [keys_in_their_own_order] wrong numbers: b[0] should be 8
 * The weights of keys 0, 1, 8, 9 come out of the first product in one
 * register, and go into the second as those of places 0 to 3. So V's keys must
 * lie in that order: here the weight of key 8 meets key 2. */
KERNEL(1, 1)
{
    const int key[4] = {0, 1, 8, 9};
    for (int place = 0; place < 4; place++) {
        float weight = key[place] == 8, V = place; // <- here
        *b += weight * V;
    }
}

/* [sums_in_units_of_the_block_before] wrong numbers: b[0] should be 5
 * O is summed in units of the scale of V's block, 4 and then 1: what is there
 * must be multiplied by 4 / 1 before the second block is added. */
KERNEL(1, 1)
{
    const float scales[2] = {4, 1};
    float O = 0, unit = 0;
    for (float scale : scales) {
        unit = scale; // <- here
        O += 1;
    }
    *b = O * unit;
}

/* [scale_of_another_block] wrong numbers: b[0] should be 64
 * Each block of K has a scale of its own; the second tile's scores take the
 * first one's. 32 products of ones, times 2. */
KERNEL(1, 1)
{
    const float scale[2] = {8, 2};
    for (int j = 0; j < 2; j++)
        *b = 32 * scale[0]; // <- here
}

/* [weights_below_the_smallest_code] wrong numbers: b[0] should be 0.015625
 * A weight is at most 1, and e4m3 begins at 2^-9: 32 weights of 2^-11 are
 * rounded to nothing. Times 2^8 they would be there; l is multiplied too, so
 * that it cancels. */
KERNEL(1, 1)
{
    for (int j = 0; j < 32; j++) {
        unsigned code = pack_e4m3x4(0x1p-11f, 0, 0, 0); // <- here
        *b += emu::from_e4m3((uint8_t)code);
    }
}

/* [tail_not_masked] wrong numbers: b[0] should be 40
 * The tile has 64 keys, and only 40 are there: TMA brings zeros for the
 * others, whose score is 0, not -inf. Each adds 2^0 to l. */
KERNEL(1, 1)
{
    const float scores[64] = {};
    for (float s : scores)
        *b += exp2_approx(s); // <- here
}

/* [rows_of_64_read_as_128] out of bounds
 * With d = 64 a row has 64 bytes and the swizzle of that width. This
 * descriptor is for rows of 128: row 32 lies where the tile ends. */
WGMMA_KERNEL(1, 128, both)
{
    const int narrow = 64 * 64; /* a tile of 64 rows of 64 bytes */
    char *last = smem + both - narrow;
    wgmma_e4m3(d, wgmma_operand_e4m3(smem, 64), // <- here
               wgmma_operand_e4m3(last, 128), false);
    finish(d, b);
}
