/*
 * The functions for a block of queries on the matrix unit. Each product is
 * divided into slots, and a slot is two tile products. The steps differ in the
 * order of the slots and in the softmax between the slots.
 *
 *     S   S[g] is 32 keys by 32 queries, in 2 x 2 tiles S[g][k][q]. A row of a
 *         tile is one query and 16 keys. P (bf16) replaces the tiles
 *         S[g][0][q]: a row is then one query and 32 keys.
 *     K   a tile is 16 keys by 32 columns, stored as [pair of columns][key][2]
 *     V   a tile is 32 keys by 16 columns, stored as [pair of keys][column][2]
 *
 * Exponents are in base 2: a weight is 2^{c S - m} with c = |scale| / ln 2. If
 * the scale is negative, Q is stored with the opposite sign.
 * docs/cpu_speed.md
 */
#ifndef FLASH2_AMX_BLOCK_H
#define FLASH2_AMX_BLOCK_H

#include "06_flash2/fast/bf16_heads.h"
#include "06_flash2/fast/matrix_unit.h"
#include "common/speed/targets.h"

enum {
    BR = 32,         /* queries of a block */
    GROUPS = BC / 32 /* groups of 32 keys in a block */
};

typedef tile score_tiles[GROUPS][2][2];

typedef struct {
    score_tiles S[2];
    tile O[WIDEST / 16][2], Q[WIDEST / 32][2];
    vf sum[BR]; /* 16 sums of weights for each row; l is their total */
    float m[BR], alpha[BR];
    int from[BR], to[BR]; /* row r sees keys from[r] to to[r] - 1 */
    float c;              /* |scale| / ln 2 */
} amx_block;

/* --- Packing -------------------------------------------------------------- */

/* Stores y in row i of O, in columns c to c + 31 if O has them. */
INLINE void store_output(const array *O, size_t i, size_t c, const vf y[2])
{
    size_t n = min_size(32, O->hbm.cols - c);
    vh x = narrowed(y[0], y[1]);

    if (O->narrow)
        memcpy(O->narrow + i * O->hbm.cols + c, &x, n * sizeof *O->narrow);
    else
        memcpy(row(O->hbm, i) + c, y, n * sizeof *O->hbm.data);
}

static size_t packed_floats(const head *h)
{
    return tiles(h->Nk, BC) * (tiles(h->d, 32) + tiles(h->dv, 32)) * 4 *
           TILE_FLOATS;
}

static size_t state_floats(const head *h)
{
    (void)h;
    return sizeof(amx_block) / sizeof(float);
}

/* Packs block j of BC keys: (BC / 16) (d / 32) tiles of K, then (BC / 32)
 * (dv / 16) tiles of V. d and dv are rounded up to multiples of 32. */
static void pack_keys(const head *h, size_t j, float *packed)
{
    size_t dx = tiles(h->d, 32), dvx = tiles(h->dv, 32);
    tile *to = (tile *)(void *)packed + j * (dx + dvx) * 4;

    for (size_t key = j * BC; key < (j + 1) * BC; key += 16)
        for (size_t x = 0; x < dx; x++, to++) {
            vf rows[16];

            EACH (k, 0, 16)
                rows[k] = (vf)row_in_bf16(&h->K, key + k, 32 * x);
            transpose(rows);
            EACH (k, 0, 16)
                to->row[k] = rows[k];
        }
    for (size_t key = j * BC; key < (j + 1) * BC; key += 32)
        for (size_t x = 0; x < dvx; x++, to += 2)
            for (size_t k = 0; k < 16; k++) {
                vh a = row_in_bf16(&h->V, key + 2 * k, 32 * x);
                vh b = row_in_bf16(&h->V, key + 2 * k + 1, 32 * x);

                to[0].row[k] = (vf)__builtin_shufflevector(a, b, LOW_PAIRS);
                to[1].row[k] = (vf)__builtin_shufflevector(a, b, HIGH_PAIRS);
            }
}

/* d and dv must be multiples of 32. */
INLINE const tile *keys_of(const tile *keys, size_t d, size_t dv, size_t j)
{
    return keys + j * ((d + dv) / 32 * 4);
}

INLINE const tile *values_of(const tile *keys, size_t d, size_t dv, size_t j)
{
    return keys_of(keys, d, dv, j) + d / 32 * 4;
}

/* --- Products in slots ---------------------------------------------------- */

INLINE size_t score_slots(size_t d)
{
    return GROUPS * 2 * (d / 32);
}

INLINE size_t output_slots(size_t dv)
{
    return GROUPS * 2 * (dv / 32);
}

INLINE void load_packed(int t, const tile *p, bool stream)
{
    if (stream)
        tile_stream(t, p);
    else
        tile_load(t, p);
}

/* Registers 0 to 3 sum 2 x 2 tiles of S over d. Even slots are for queries 0 to
 * 15, odd slots for queries 16 to 31. A store waits for the product of its
 * register, so other products are issued before most stores. */
INLINE void score_slot(amx_block *b, score_tiles s, const tile *K, size_t d,
                       size_t t, bool stream)
{
    size_t dx = d / 32, x = t / 2 % dx, g = t / 2 / dx;

    if (t % 2 == 0) {
        if (x == 0) {
            tile_zero(0);
            tile_zero(1);
        }
        tile_load(4, &b->Q[x][0]);
        load_packed(6, K + 2 * g * dx + x, stream);
        tile_dp(0, 4, 6);
        load_packed(7, K + (2 * g + 1) * dx + x, stream);
        tile_dp(1, 4, 7);
        if (x == 0) {
            if (g > 0) {
                tile_store(2, &s[g - 1][0][1]);
                tile_store(3, &s[g - 1][1][1]);
            }
            tile_zero(2);
            tile_zero(3);
        }
        return;
    }
    tile_load(5, &b->Q[x][1]);
    tile_dp(2, 5, 6);
    tile_dp(3, 5, 7);
    if (x == dx - 1) {
        tile_store(0, &s[g][0][0]);
        tile_store(1, &s[g][1][0]);
    }
    if (t == score_slots(d) - 1) {
        tile_store(2, &s[g][0][1]);
        tile_store(3, &s[g][1][1]);
    }
}

/* Adds slot t of P V to O. Registers 0 to 3 hold 2 x 2 tiles of O. */
INLINE void output_slot(amx_block *b, score_tiles p, const tile *V, size_t dv,
                        size_t t, bool stream)
{
    size_t g = t / 2 % GROUPS, x = t / 2 / GROUPS * 2;

    if (t % 2 == 0) {
        if (g == 0) {
            tile_load(0, &b->O[x][0]);
            tile_load(1, &b->O[x + 1][0]);
        }
        tile_load(4, &p[g][0][0]);
        load_packed(6, V + g * (dv / 16) + x, stream);
        tile_dp(0, 4, 6);
        load_packed(7, V + g * (dv / 16) + x + 1, stream);
        tile_dp(1, 4, 7);
        if (g == 0) {
            if (x > 0) {
                tile_store(2, &b->O[x - 2][1]);
                tile_store(3, &b->O[x - 1][1]);
            }
            tile_load(2, &b->O[x][1]);
            tile_load(3, &b->O[x + 1][1]);
        }
        return;
    }
    tile_load(5, &p[g][0][1]);
    tile_dp(2, 5, 6);
    tile_dp(3, 5, 7);
    if (g == GROUPS - 1) {
        tile_store(0, &b->O[x][0]);
        tile_store(1, &b->O[x + 1][0]);
    }
    if (t == output_slots(dv) - 1) {
        tile_store(2, &b->O[x][1]);
        tile_store(3, &b->O[x + 1][1]);
    }
}

/* With AMX, unrolls the loop over the rows of a block, so that slot numbers are
 * constants. */
#if !defined(HAS_AMX)
#define UNROLLED_ROWS
#elif defined(__clang__)
#define UNROLLED_ROWS UNROLLED
#else
#define UNROLLED_ROWS _Pragma("GCC unroll 32")
#endif

/* --- Rows ----------------------------------------------------------------- */

/* Returns the scores of keys 32 g + 16 k to 32 g + 16 k + 15 in row r. */
INLINE vf *scores_of(score_tiles s, size_t r, size_t g, size_t k)
{
    return &s[g][k][r / 16].row[r % 16];
}

INLINE bool is_edge(const amx_block *b, size_t j)
{
    return b->from[BR - 1] > (int)j * BC || b->to[0] < (int)(j + 1) * BC;
}

/* Sets scores of unseen keys to -inf. */
INLINE void mask_row(const amx_block *b, score_tiles s, size_t r, size_t j)
{
    EACH (n, 0, BC / 16) {
        vf *x = scores_of(s, r, n / 2, n % 2);
        vi key = (vi){IOTA} + (int)(j * BC + 16 * n);

        *x = choose((key >= b->from[r]) & (key < b->to[r]), *x,
                    all_lanes(-INFINITY));
    }
}

INLINE float row_max(const amx_block *b, score_tiles s, size_t r)
{
    vf most = *scores_of(s, r, 0, 0);

    EACH (n, 1, BC / 16)
        most = larger(most, *scores_of(s, r, n / 2, n % 2));
    return fmaxf(b->m[r], largest_lane(most) * b->c);
}

/* Computes P = 2^{c S - m} of row r in bf16. Returns 16 sums of the rounded
 * weights. O is divided by their total, so rounding P does not scale O. */
INLINE vf exponentiate_row(score_tiles s, size_t r, vh P[GROUPS], float c,
                           float m)
{
    vf sum = all_lanes(0);

    EACH (g, 0, GROUPS) {
        vf a =
            multiply_add(*scores_of(s, r, g, 0), all_lanes(c), all_lanes(-m));
        vf b =
            multiply_add(*scores_of(s, r, g, 1), all_lanes(c), all_lanes(-m));

        P[g] = narrowed(rough_exp2(a), rough_exp2(b));
        sum += sums_of_pairs(P[g]);
    }
    return sum;
}

INLINE void store_weights(score_tiles s, size_t r, const vh P[GROUPS])
{
    EACH (g, 0, GROUPS)
        *scores_of(s, r, g, 0) = (vf)P[g];
}

/* Sets m, and alpha = 2^{old m - m}. Multiplies the sums of row r by alpha. */
INLINE void raise_row(amx_block *b, size_t r, float m)
{
    b->alpha[r] = m > b->m[r] ? exp2f(b->m[r] - m) : 1;
    b->sum[r] *= b->alpha[r];
    b->m[r] = m;
}

static void rescale_rows(amx_block *b, size_t dv)
{
    for (size_t r = 0; r < BR; r++) {
        for (size_t x = 0; x < dv / 16 && b->alpha[r] != 1; x++)
            b->O[x][r / 16].row[r % 16] *= b->alpha[r];
        b->alpha[r] = 1;
    }
}

/* --- A block -------------------------------------------------------------- */

static void begin_block(amx_block *b, const head *h, size_t i0)
{
    const unsigned flip = h->scale < 0 ? 0x80008000u : 0; /* signs of 2 bf16 */

    b->c = fabsf(h->scale) * log2_e;
    for (size_t r = 0; r < BR; r++) {
        size_t i = min_size(i0 + r, h->Nq - 1);

        for (size_t x = 0; x < tiles(h->d, 32); x++)
            b->Q[x][r / 16].row[r % 16] =
                (vf)((vu)row_in_bf16(&h->Q, i, 32 * x) ^ flip);
        b->from[r] = (int)seen_from(h, one(i));
        b->to[r] = (int)seen(h, one(i));
        b->m[r] = -1e30f;
        b->alpha[r] = 1;
        b->sum[r] = all_lanes(0);
    }
    memset(b->O, 0, sizeof *b->O * tiles(h->dv, 32) * 2);
}

/* Stores O / l and L of rows 16 q to 16 q + 15 (Algorithm 1, lines 12 to 15).
 * Returns false if flash2 must compute them (bf16_heads.h). */
static bool finish_rows(amx_block *b, const head *h, size_t i0, size_t q)
{
    vf x[16], l, inverse, L, check = {0};
    bool lost = false;

    EACH (r, 0, 16)
        x[r] = b->sum[16 * q + r];
    l = sums_of_lanes(x);
    inverse = choose(l == 0, all_lanes(0), 1 / l);
    L = log_over(l, load_lanes(&b->m[16 * q]));
    check += l * 0;
    for (size_t r = 0; r < 16 && i0 + 16 * q + r < h->Nq; r++) {
        size_t i = i0 + 16 * q + r, n = 16 * q + r;

        for (size_t c = 0; c < h->dv; c += 32) {
            vf y[2];

            EACH (k, 0, 2) {
                y[k] = b->O[c / 16 + k][q].row[r] * inverse[r];
                check += y[k] * 0;
            }
            store_output(&h->O, i, c, y);
        }
        *row(h->L.hbm, i) = L[r];
        lost |= l[r] == 0 && b->from[n] < b->to[n];
    }
    return !lost && all_at_most(check, 0);
}

static bool finish_block(amx_block *b, const head *h, size_t i0)
{
    bool first = finish_rows(b, h, i0, 0);

    return finish_rows(b, h, i0, 1) && first;
}

/* Each step defines this function. With AMX it is also compiled for the common
 * sizes d = dv = 64 and d = dv = 128 as constants. */
INLINE void attend_keys(amx_block *b, const tile *keys, size_t first,
                        size_t end, const size_t d, const size_t dv);

static bool attend_block(const head *h, const head *next, const float *packed,
                         size_t i0, float *state)
{
    amx_block *b = (amx_block *)(void *)state;
    const tile *keys = (const tile *)(const void *)packed;
    size_t d = 32 * tiles(h->d, 32), dv = 32 * tiles(h->dv, 32);
    unsigned before;
    size_t first, end;
    bool right;

    (void)next;
    if (!(fabsf(h->scale) >= FLT_MIN))
        return false;
    before = flush_subnormals();
    begin_block(b, h, i0);
    first = (size_t)b->from[0] / BC;
    end = tiles((size_t)b->to[BR - 1], BC);
    tiles_on();
    if (first >= end)
        ; /* no row sees a key */
#if defined(HAS_AMX)
    else if (d == 64 && dv == 64)
        attend_keys(b, keys, first, end, 64, 64);
    else if (d == 128 && dv == 128)
        attend_keys(b, keys, first, end, 128, 128);
#endif
    else
        attend_keys(b, keys, first, end, d, dv);
    tiles_off();
    right = finish_block(b, h, i0);
    restore_subnormals(before);
    return right;
}

static void one_product(float *C, const float *A, const float *B)
{
    tiles_on();
    tile_load(0, (tile *)(void *)C);
    tile_load(1, (const tile *)(const void *)A);
    tile_load(2, (const tile *)(const void *)B);
    tile_dp(0, 1, 2);
    tile_store(0, (tile *)(void *)C);
    tiles_off();
}

static float products_alone(size_t n)
{
    tile sums;

    tiles_on();
    tile_zero(0);
    tile_zero(1);
    tile_zero(2);
    tile_zero(3);
    tile_zero(4);
    tile_zero(5);
    tile_zero(6);
    tile_zero(7);
    for (; n > 0; n--) {
        tile_dp(0, 4, 6);
        tile_dp(1, 4, 7);
        tile_dp(2, 5, 6);
        tile_dp(3, 5, 7);
    }
    tile_store(0, &sums);
    tiles_off();
    return sums.f[0][0];
}

#define AMX_KERNEL                                                             \
    {                                                                          \
        BR, BF16, false, packed_floats, state_floats, pack_keys, attend_block, \
            one_product, products_alone                                        \
    }

#endif
