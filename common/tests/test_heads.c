/* Tests the rows and the mask of a head, and which keys its queries see. */
#include "common/judge/reference_attention.h"
#include "common/lesson/attention/heads.h"
#include "common/testing/run_tests.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

enum { B = 2, HQ = 6, NQ = 3, NK = 4, D = 2, DV = 5 };

/* A layer in which each element of an input has the value of its index. */
typedef struct {
    float Q[B * HQ * NQ * D], K[B * HQ * NK * D], V[B * HQ * NK * DV];
    float mask[B * HQ * NQ * NK], O[B * HQ * NQ * DV], L[B * HQ * NQ];
    layer p;
} numbered_layer;

static void count_up(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)i;
}

static layer *numbered(numbered_layer *l, size_t Hk)
{
    count_up(l->Q, B * HQ * NQ * D);
    count_up(l->K, B * HQ * NK * D);
    count_up(l->V, B * HQ * NK * DV);
    count_up(l->mask, B * HQ * NQ * NK);
    l->p = (layer){
        .B = B,
        .Hq = HQ,
        .Hk = Hk,
        .each = {.Nq = NQ, .Nk = NK, .d = D, .dv = DV, .scale = 1},
    };
    layer_give(&l->p, l->Q, l->K, l->V, l->O, l->L);
    return &l->p;
}

static void assert_key_head(size_t Hk, size_t b, size_t h, size_t key_head)
{
    numbered_layer l;
    head one = head_at(numbered(&l, Hk), b * HQ + h);

    assert_ptr_equal(one.Q.hbm.data, l.Q + (b * HQ + h) * NQ * D);
    assert_ptr_equal(one.K.hbm.data, l.K + (b * Hk + key_head) * NK * D);
    assert_ptr_equal(one.V.hbm.data, l.V + (b * Hk + key_head) * NK * DV);
    assert_ptr_equal(one.O.hbm.data, l.O + (b * HQ + h) * NQ * DV);
    assert_ptr_equal(one.L.hbm.data, l.L + (b * HQ + h) * NQ);
    assert_true(one.Q.hbm.rows == NQ && one.Q.hbm.cols == D);
    assert_true(one.V.hbm.rows == NK && one.V.hbm.cols == DV);
    assert_true(one.L.hbm.rows == NQ && one.L.hbm.cols == 1);
    assert_null(one.rule.mask.hbm.data);
}

TEST(grouped_heads_share_the_keys_of_their_group)
{
    for (size_t b = 0; b < B; b++)
        for (size_t h = 0; h < HQ; h++) {
            assert_key_head(HQ, b, h, h);
            assert_key_head(3, b, h, h / 2);
            assert_key_head(2, b, h, h / 3);
            assert_key_head(1, b, h, 0);
        }
}

static void assert_rows(array part, const float *data, span i, size_t cols)
{
    assert_ptr_equal(part.hbm.data, data + i.first * cols);
    assert_true(part.hbm.rows == i.n && part.hbm.cols == cols);
}

TEST(a_part_of_the_queries_has_its_rows_of_every_array)
{
    static float m[NQ], sum[NQ], P[NQ * NK];
    numbered_layer l;
    head h = head_at(numbered(&l, 1), 0);

    h.m = hbm_of(m, NQ, 1);
    h.l = hbm_of(sum, NQ, 1);
    h.P = hbm_of(P, NQ, NK);
    h.rule.mask = hbm_of(l.mask, NQ, NK);
    for (size_t k = 0; k < NQ * NQ; k++) {
        span i = span_of(k % NQ, min_size(k / NQ, NQ - k % NQ));
        head part = head_of_queries(&h, i);

        assert_int_equal(part.Nq, i.n);
        assert_rows(part.Q, l.Q, i, D);
        assert_rows(part.O, l.O, i, DV);
        assert_rows(part.L, l.L, i, 1);
        assert_rows(part.m, m, i, 1);
        assert_rows(part.l, sum, i, 1);
        assert_rows(part.P, P, i, NK);
        assert_rows(part.rule.mask, l.mask, i, NK);
    }
}

TEST(a_part_of_an_array_in_16_bits_has_its_rows)
{
    static uint16_t bits[NQ * D];
    array a = {.hbm = {.rows = NQ, .cols = D}, .narrow = bits};
    array part = rows_of(a, span_of(1, 2));

    assert_ptr_equal(part.narrow, bits + D);
    assert_int_equal(part.hbm.rows, 2);
}

TEST(a_part_of_the_keys_has_its_columns_of_the_mask)
{
    numbered_layer l;
    matrix part;

    numbered(&l, 1)->each.rule.mask = hbm_of(l.mask, NQ, NK);
    part = rule_of_keys(l.p.each.rule, span_of(1, 2)).mask.hbm;
    assert_ptr_equal(part.data, l.mask + 1);
    assert_true(part.rows == NQ && part.cols == 2 && part.stride == NK);
}

TEST(a_head_is_a_layer_of_one_head)
{
    numbered_layer l;
    head h = head_at(numbered(&l, 1), 3);
    layer alone = layer_of(&h);

    assert_true(alone.B == 1 && alone.Hq == 1 && alone.Hk == 1);
    assert_true(alone.mask_B == 1 && alone.mask_H == 1 && !alone.alibi);
    assert_int_equal(heads_of(&alone), 1);
    assert_ptr_equal(head_at(&alone, 0).Q.hbm.data, h.Q.hbm.data);
}

TEST(a_mask_is_broadcast_over_batch_entries_and_heads)
{
    const size_t sizes[][2] = {{1, 1}, {B, 1}, {1, HQ}, {B, HQ}};
    numbered_layer l;

    numbered(&l, 1)->each.rule.mask.hbm = matrix_of(l.mask, NQ, NK);
    for (size_t k = 0; k < 4; k++) {
        l.p.mask_B = sizes[k][0];
        l.p.mask_H = sizes[k][1];
        for (size_t b = 0; b < B; b++)
            for (size_t h = 0; h < HQ; h++) {
                size_t nth = (l.p.mask_B == 1 ? 0 : b) * l.p.mask_H +
                             (l.p.mask_H == 1 ? 0 : h);

                assert_ptr_equal(head_at(&l.p, b * HQ + h).rule.mask.hbm.data,
                                 l.mask + nth * NQ * NK);
            }
    }
}

/*
 * The keys that each query sees ("x"), for offsets and windows whose sums
 * may overflow 64 bits. Python computed them: its integers are unbounded.
 *
 *     "x" if (not causal or j <= i + o) and (w == 0 or abs(i + o - j) < w)
 */
#define P63 ((size_t)LONG_MAX + 1)
#define P62 (LONG_MAX / 2 + 1)
static const struct {
    bool causal;
    long offset;
    size_t window;
    const char *seen[NQ];
} limits[] = {
    {true, -2, 0, {"....", "....", "x..."}},
    {true, LONG_MAX, 0, {"xxxx", "xxxx", "xxxx"}},
    {false, P62, P62 + 1, {"xxxx", ".xxx", "..xx"}},
    {false, P62, P62 - 2, {"...x", "....", "...."}},
    {true, P62, P62 - 1, {"..xx", "...x", "...."}},
    {false, -P62, P62 - 2, {"....", "....", "...."}},
    {false, -P62, P62 + 2, {"xx..", "xxx.", "xxxx"}},
    {true, -P62, P63, {"....", "....", "...."}},
    {false, LONG_MAX, P63 - 2, {"..xx", "...x", "...."}},
    {false, LONG_MAX, P63, {"xxxx", ".xxx", "..xx"}},
    {false, LONG_MAX, SIZE_MAX, {"xxxx", "xxxx", "xxxx"}},
    {false, LONG_MIN, 1, {"....", "....", "...."}},
    {false, LONG_MIN, P63 + 2, {"xx..", "xxx.", "xxxx"}},
    {false, LONG_MIN, SIZE_MAX, {"xxxx", "xxxx", "xxxx"}},
    {true, 1, P63, {"xx..", "xxx.", "xxxx"}},
    {false, -3, 2, {"....", "....", "x..."}},
};

/* Checks the whole head, and each query as a head. Each row is also tried with
 * ALiBi, because head_at then clamps the offset differently. */
TEST(any_offset_and_window_keep_their_meaning)
{
    numbered_layer l;

    numbered(&l, 1);
    for (size_t k = 0; k < 2 * sizeof limits / sizeof *limits; k++) {
        head whole;

        l.p.alibi = k % 2;
        l.p.each.rule.causal = limits[k / 2].causal;
        l.p.each.rule.offset = limits[k / 2].offset;
        l.p.each.rule.window = limits[k / 2].window;
        whole = head_at(&l.p, 0);
        if (!l.p.alibi) /* then the offset is clamped to the sizes */
            assert_true(clamped(whole.rule.offset, -NQ, NK) ==
                        whole.rule.offset);
        for (size_t i = 0; i < NQ; i++)
            for (size_t j = 0; j < NK; j++) {
                bool want = limits[k / 2].seen[i][j] == 'x';
                head query = head_of_queries(&whole, one(i));

                assert_true(visible(&whole, one(i), one(j)) == want);
                assert_true(visible(&query, one(0), one(j)) == want);
                assert_true((reference_score(&whole, i, j) > -HUGE_VAL) ==
                            want);
            }
    }
}

static size_t heads_passed;

static int take_all(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    heads_passed = heads_of(l);
    return mem->error;
}

TEST(run_layer_is_called_once_for_all_heads_but_not_if_B_is_0)
{
    const attention_step together = {.name = "together", .run_layer = take_all};
    numbered_layer l;
    memory mem;

    memory_init(&mem, 0);
    assert_int_equal(heads_run(numbered(&l, 3), &together, &mem), 0);
    assert_int_equal(heads_passed, B * HQ);
    l.p.B = 0;
    heads_passed = 99;
    assert_int_equal(heads_run(&l.p, &together, &mem), 0);
    assert_int_equal(heads_passed, 99);
}

TEST(a_step_without_tiles_has_tiles_of_0)
{
    const attention_step none = {.name = "none"};
    tile_sizes t = step_tiles(&none, NULL, 99);

    assert_true(t.Br == 0 && t.Bc == 0);
}
