/* 8_fp8.cu: mistakes with e4m3, as rung 11 uses it: in the order of its keys,
 * in scales, in widths. Most break no rule of the machine and are seen in the
 * numbers alone. Page: docs/hopper.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

static const int narrow = 64 * 64; /* a tile of 64 rows of 64 bytes */

static __device__ unsigned long long narrow_A()
{
    return wgmma_operand_e4m3(smem, 64);
}
static __device__ unsigned long long narrow_B()
{
    return wgmma_operand_e4m3(smem + narrow, 64);
}

/* Byte k of row r, where TMA with the 64-byte swizzle puts it. */
static __device__ void put(char *to, int r, int k, float x)
{
    to[r * 64 + (k / 16 ^ r / 2 % 4) * 16 + k % 16] =
        (char)pack_e4m3x4(x, 0, 0, 0);
}

/* Both tiles full of x. */
static __device__ void fill_tiles(float x)
{
    for (int e = threadIdx.x; e < 2 * narrow; e += blockDim.x)
        put(smem + e / narrow * narrow, e % narrow / 64, e % 64, x);
    show();
}

/* The key of element e of an accumulator: its column. */
static __device__ int key_of(int e)
{
    return e / 4 * 8 + threadIdx.x % 4 * 2 + e % 2;
}

/* As rung 11 does: 16 weights of a thread, for 32 keys. */
static __device__ void pack(unsigned (&P)[4], const float (&s)[16])
{
    for (int e = 0; e < 16; e += 8) {
        P[e / 4] = pack_e4m3x4(s[e], s[e + 1], s[e + 4], s[e + 5]);
        P[e / 4 + 1] = pack_e4m3x4(s[e + 2], s[e + 3], s[e + 6], s[e + 7]);
    }
}

/* The weights of a row that looks at key j alone. */
static __device__ void look_at(unsigned (&P)[4], int j)
{
    float s[16];
    for (int e = 0; e < 16; e++)
        s[e] = key_of(e) == j;
    pack(P, s);
}

/* P times V, which is the second tile. */
static __device__ void weigh(const unsigned (&P)[4], float *b)
{
    float o[32] = {};
    wgmma_fence();
    wgmma_e4m3(o, P, narrow_B(), true);
    finish(o, b);
}

/* The scores of the tiles, for the first 32 columns of each. */
static __device__ void score(float (&s)[32])
{
    wgmma_fence();
    wgmma_e4m3(s, narrow_A(), narrow_B(), false);
    wgmma_commit();
    wgmma_wait<0>(s);
}

/* --- V -------------------------------------------------------------------- */

/* [keys_in_their_own_order] wrong numbers: b[0] should be 8
 * The weights of keys 0, 1, 8, 9 come out of the first product in one
 * register, and go into the second as those of places 0 to 3. So V's keys must
 * lie in that order: here the weight of key 8 meets key 2. */
KERNEL(1, 128, 2 * narrow)
{
    unsigned P[4];
    fill_tiles(0);
    for (int e = t; e < 64 * 16; e += 128)
        put(smem + narrow, e / 16, e % 16, e % 16); // <- here
    show();
    look_at(P, 8);
    weigh(P, b);
}

/* [values_not_transposed] wrong numbers: b[0] should be 1
 * For bytes wgmma reads both operands along the sum: a row of the tile must be
 * a column of V. Here it is a key, all of whose elements are its number; and
 * row 0, key 0, is taken for column 0. */
KERNEL(1, 128, 2 * narrow)
{
    unsigned P[4];
    for (int e = t; e < narrow; e += 128)
        put(smem + narrow, e / 64, e % 64, e / 64 % 16); // <- here
    show();
    look_at(P, 1);
    weigh(P, b);
}

/* --- Scales --------------------------------------------------------------- */

/* [sums_in_units_of_the_block_before] wrong numbers: b[0] should be 5
 * O is summed in units of the scale of V's block, 4 and then 1: what is there
 * must be multiplied by 4 / 1 before the second block is added. */
KERNEL(1, 128, 2 * narrow)
{
    const float scale[2] = {4, 1};
    float o[32] = {}, unit = scale[0];
    unsigned P[4];
    fill_tiles(1);
    look_at(P, 0);
    for (int j = 0; j < 2; j++) {
        unit = scale[j]; // <- here
        wgmma_fence();
        wgmma_e4m3(o, P, narrow_B(), true);
        finish(o, b);
    }
    b[t] = o[0] * unit;
}

/* [scale_of_another_block] wrong numbers: b[0] should be 64
 * Each block of K has a scale of its own; the second tile's scores take the
 * first one's. 32 products of ones, times 2. */
KERNEL(1, 128, 2 * narrow)
{
    const float scale[2] = {8, 2};
    float s[32];
    fill_tiles(1);
    for (int j = 0; j < 2; j++) {
        score(s);
        b[t] = s[0] * scale[0]; // <- here
    }
}

/* [weights_below_the_smallest_code] wrong numbers: b[0] should be 0.015625
 * A weight is at most 1, and e4m3 begins at 2^-9: 32 weights of 2^-11 are
 * rounded to nothing. Times 2^8 they would be there; l is multiplied too, so
 * that it cancels. */
KERNEL(1, 128, 2 * narrow)
{
    float s[16];
    unsigned P[4];
    fill_tiles(1);
    for (int e = 0; e < 16; e++)
        s[e] = 0x1p-11f; // <- here
    pack(P, s);
    weigh(P, b);
}

/* --- Tiles ---------------------------------------------------------------- */

/* [tail_not_masked] wrong numbers: b[0] should be 40
 * The tile has 64 keys, and only 40 are there: TMA brings zeros for the
 * others, whose score is 0, not -inf. Each adds 2^0 to l. */
KERNEL(1, 128, 2 * narrow)
{
    float s[32], l = 0;
    fill_tiles(0);
    score(s);
    for (int e = 0; e < 32; e++)
        if (e % 4 < 2)
            l += exp2_approx(s[e]); // <- here
    l += __shfl_xor_sync(~0u, l, 1);
    b[t] = l + __shfl_xor_sync(~0u, l, 2);
}

/* [rows_of_64_read_as_128] out of bounds
 * With d = 64 a row has 64 bytes and the swizzle of that width. This
 * descriptor is for rows of 128: row 32 lies where the tile ends. */
KERNEL(1, 128, 2 * narrow)
{
    float s[32];
    fill_tiles(1);
    wgmma_fence();
    wgmma_e4m3(s, narrow_A(), wgmma_operand_e4m3(smem + narrow, 128), // <- here
               false);
    finish(s, b);
}
