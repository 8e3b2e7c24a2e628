/*
 * Which keys a query may see, and a head cut into blocks of queries.
 */
#include "common/head.h"

#include "common/testing/run_tests.h"

static head causal(size_t Nq, size_t Nk, long offset)
{
    return (head){
        .Nq = Nq, .Nk = Nk, .d = 1, .dv = 1, .causal = true, .offset = offset};
}

static void without_a_limit_every_key_is_seen(void **state)
{
    head h = {.Nq = 4, .Nk = 9, .offset = -100};

    for (size_t i = 0; i < 4; i++)
        assert_int_equal(keys_seen(&h, i), 9);
}

/* Keys j <= i + offset, counted one by one. */
static void a_query_sees_the_keys_up_to_its_offset(void **state)
{
    for (long offset = -12; offset <= 12; offset++) {
        head h = causal(7, 9, offset);

        for (long i = 0; i < 7; i++) {
            size_t seen = 0;

            for (long j = 0; j < 9; j++)
                seen += j <= i + offset;
            assert_int_equal(keys_seen(&h, (size_t)i), seen);
        }
    }
}

static void by_default_the_last_query_sees_every_key(void **state)
{
    head h = causal(3, 8, 8 - 3);

    assert_int_equal(keys_seen(&h, 0), 6);
    assert_int_equal(keys_seen(&h, 1), 7);
    assert_int_equal(keys_seen(&h, 2), 8);
}

static void a_tile_sees_what_its_last_query_does(void **state)
{
    head h = causal(10, 20, 2);

    assert_int_equal(keys_seen_by(&h, 0, 10), 12);
    assert_int_equal(keys_seen_by(&h, 4, 3), keys_seen(&h, 6));
    assert_int_equal(keys_seen_by(&h, 9, 1), 12);
    assert_int_equal(keys_seen_by(&h, 4, 0), 0);
}

/* --- head_of_queries ------------------------------------------------------ */

static array array_at(float *data, size_t rows, size_t cols)
{
    return (array){matrix_of(data, rows, cols), FP32};
}

static void a_block_of_queries_has_their_rows_and_all_keys(void **state)
{
    float Q[6 * 2], K[5 * 2], V[5 * 3], mask[6 * 5], O[6 * 3], L[6];
    head h = {.Nq = 6,
              .Nk = 5,
              .d = 2,
              .dv = 3,
              .Q = array_at(Q, 6, 2),
              .K = array_at(K, 5, 2),
              .V = array_at(V, 5, 3),
              .mask = array_at(mask, 6, 5),
              .O = array_at(O, 6, 3),
              .L = array_at(L, 6, 1)};
    head part = head_of_queries(&h, 4, 2);

    assert_int_equal(part.Nq, 2);
    assert_int_equal(part.Nk, 5);
    assert_ptr_equal(row(part.Q.hbm, 0), &Q[4 * 2]);
    assert_ptr_equal(row(part.Q.hbm, 1), &Q[5 * 2]);
    assert_ptr_equal(row(part.mask.hbm, 1), &mask[5 * 5]);
    assert_ptr_equal(row(part.O.hbm, 1), &O[5 * 3]);
    assert_ptr_equal(row(part.L.hbm, 1), &L[5]);
    assert_ptr_equal(part.K.hbm.data, K);
    assert_ptr_equal(part.V.hbm.data, V);
    assert_int_equal(part.O.hbm.rows, 2);
}

static void an_absent_mask_stays_absent(void **state)
{
    float Q[4] = {0};
    head h = {.Nq = 4, .Nk = 4, .d = 1, .Q = array_at(Q, 4, 1)};

    assert_null(head_of_queries(&h, 2, 2).mask.hbm.data);
}

static void a_block_of_queries_sees_the_same_keys(void **state)
{
    for (long offset = -12; offset <= 12; offset++)
        for (size_t i0 = 0; i0 < 7; i0++) {
            head h = causal(7, 9, offset);
            head part = head_of_queries(&h, i0, 7 - i0);

            for (size_t i = i0; i < 7; i++)
                assert_int_equal(keys_seen(&part, i - i0), keys_seen(&h, i));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_every_key_is_seen),
        cmocka_unit_test(a_query_sees_the_keys_up_to_its_offset),
        cmocka_unit_test(by_default_the_last_query_sees_every_key),
        cmocka_unit_test(a_tile_sees_what_its_last_query_does),
        cmocka_unit_test(a_block_of_queries_has_their_rows_and_all_keys),
        cmocka_unit_test(an_absent_mask_stays_absent),
        cmocka_unit_test(a_block_of_queries_sees_the_same_keys),
    };

    return run_tests("head", tests);
}
