/*
 * Work that is divided: threads change no bit, and the parts of split_kv may be
 * merged in any order.
 */
#include "06_flash2/steps.h"

#include <math.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"
#include "common/threads.h"

/* --- Threads -------------------------------------------------------------- */

static attention_case causal_case(size_t Nq, size_t Nk)
{
    attention_case c = case_of(Nq, Nk, 8, 5);

    case_random(&c, 71);
    case_causal(&c, (long)(Nk - Nq));
    c.h.Br = 7;
    c.h.Bc = 10;
    return c;
}

static void threads_change_no_bit_and_no_count(void **state)
{
    attention_case one = causal_case(61, 83), many = causal_case(61, 83);

    (void)state;
    run_kernel(&one, flash2);
    for (size_t threads = 1; threads <= 5; threads++) {
        use_threads(threads);
        run_kernel(&many, flash2_parallel);
        assert_memory_equal(many.h.O.hbm.data, one.h.O.hbm.data,
                            61 * 5 * sizeof(float));
        assert_memory_equal(many.h.L.hbm.data, one.h.L.hbm.data,
                            61 * sizeof(float));
        assert_memory_equal(&many.counts, &one.counts, sizeof one.counts);
        assert_int_equal(many.on_chip, one.on_chip);
    }
    case_free(&one);
    case_free(&many);
}

/* Many queries, or many keys: the one or the other is divided. */
static void threads_change_no_bit_of_a_step(void **state)
{
    (void)state;
    for (const attention_step *s = chapter_06_steps; s->name; s++)
        for (size_t Nq = 3; Nq <= 199; Nq += 196) {
            const attention_subject subject = {.step = s};
            attention_case one = causal_case(Nq, Nq < 16 ? 2100 : 211);
            attention_case many = causal_case(Nq, Nq < 16 ? 2100 : 211);

            use_threads(1);
            case_run(&one, &subject);
            for (size_t threads = 2; threads <= 64; threads += threads / 2) {
                use_threads(threads);
                case_run(&many, &subject);
                assert_memory_equal(many.h.O.hbm.data, one.h.O.hbm.data,
                                    Nq * 5 * sizeof(float));
                assert_memory_equal(many.h.L.hbm.data, one.h.L.hbm.data,
                                    Nq * sizeof(float));
                assert_memory_equal(&many.counts, &one.counts,
                                    sizeof one.counts);
            }
            case_free(&one);
            case_free(&many);
        }
}

/* --- Parts ---------------------------------------------------------------- */

static void there_are_at_most_8_parts_of_whole_tiles(void **state)
{
    (void)state;
    for (size_t Nk = 0; Nk < 300; Nk++)
        for (size_t Bc = 1; Bc < 40; Bc += 3) {
            head h = {.Nq = 1, .Nk = Nk, .d = 1, .dv = 1};
            size_t keys = split_kv_keys(&h, (tile_sizes){1, Bc});

            assert_true(keys > 0 && keys % Bc == 0);
            assert_true(tiles(Nk, keys) <= 8);
        }
}

/* 8 parts of 6 keys; merged in the order in which the keys come. */
static void parts_may_be_merged_in_any_order(void **state)
{
    const size_t orders[][8] = {{7, 6, 5, 4, 3, 2, 1, 0},
                                {3, 0, 7, 1, 6, 2, 5, 4},
                                {4, 5, 6, 7, 0, 1, 2, 3}};
    const attention_step split = {.name = "split_kv", .run = split_kv};
    const attention_subject step = {.step = &split};

    (void)state;
    for (size_t o = 0; o < 3; o++) {
        attention_case c = case_of(5, 48, 4, 3), other = case_of(5, 48, 4, 3);

        case_random(&c, 72);
        case_random(&other, 72);
        for (size_t p = 0; p < 8; p++) {
            size_t from = 6 * p, to = 6 * orders[o][p];

            memcpy(k_of(&other, to), k_of(&c, from), 6 * 4 * sizeof(float));
            memcpy(v_of(&other, to), v_of(&c, from), 6 * 3 * sizeof(float));
        }
        other.h.Br = 5;
        other.h.Bc = 3;
        check_case(&step, &c);
        assert_int_equal(split_kv_keys(&other.h, (tile_sizes){5, 3}), 6);
        case_run(&other, &step);
        memcpy(c.h.O.hbm.data, other.h.O.hbm.data, 5 * 3 * sizeof(float));
        memcpy(c.h.L.hbm.data, other.h.L.hbm.data, 5 * sizeof(float));
        case_check(&c, &step);
        case_free(&c);
        case_free(&other);
    }
}

/* Two parts of 4 keys with scores of 10^4: the first has four of them, the
 * second has one, and l is 4 and 1. L of the first is 10^4 + ln 4, which fp32
 * rounds to a multiple of 2^-10; so the factor e^{L - L'} is off by as much. */
static void an_L_in_fp32_is_too_coarse_to_merge_by(void **state)
{
    const float L_first = 1e4f + logf(4), L_second = 1e4f;
    double factor = exp((double)L_second - (double)L_first);
    attention_case c = case_of_scores(1, 8, 1);

    (void)state;
    for (size_t j = 0; j < 8; j++) {
        case_score(&c, j, j < 5 ? 1e4f : -INFINITY);
        *v_of(&c, j) = j < 4 ? 0 : 1;
    }
    c.h.Br = 1;
    c.h.Bc = 4;
    assert_int_equal(split_kv_keys(&c.h, (tile_sizes){1, 4}), 4);
    run_kernel(&c, split_kv);
    assert_close(*c.h.O.hbm.data, 0.2, 1e-7);
    assert_true(fabs(factor / (1 + factor) - 0.2) > 5e-5);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit_and_no_count),
        cmocka_unit_test(threads_change_no_bit_of_a_step),
        cmocka_unit_test(there_are_at_most_8_parts_of_whole_tiles),
        cmocka_unit_test(parts_may_be_merged_in_any_order),
        cmocka_unit_test(an_L_in_fp32_is_too_coarse_to_merge_by),
    };

    return run_tests("flash2, divided", tests);
}
