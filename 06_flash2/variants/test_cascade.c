/*
 * Cascade: a batch whose sequences begin alike is right, and reads their
 * beginning once for a tile of queries.
 */
#include "06_flash2/steps.h"

#include <stdlib.h>
#include <string.h>

#include "common/problem/heads.h"
#include "common/problem/random.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

enum { HK = 2, GROUP = 3, HQ = HK * GROUP };

/* B sequences of HQ heads whose first p keys are those of the first. */
typedef struct {
    layer l;
    float *data[5];
} batch;

static float *numbers(random_source *source, size_t n)
{
    float *x = malloc((n + 1) * sizeof *x);

    assert_non_null(x);
    random_fill(source, x, n, 1);
    return x;
}

static batch batch_of(size_t B, size_t Nq, size_t Nk, size_t p, size_t d)
{
    random_source s = random_seed(5);
    size_t dv = d + 1;
    batch b = {.l = {.B = B, .Hq = HQ, .Hk = HK, .mask_B = 1, .mask_H = 1}};
    float **x = b.data;

    b.l.each = (head){.Nq = Nq, .Nk = Nk, .d = d, .dv = dv, .scale = 0.7f};
    x[0] = numbers(&s, B * HQ * Nq * d);
    x[1] = numbers(&s, B * HK * Nk * d);
    x[2] = numbers(&s, B * HK * Nk * dv);
    x[3] = numbers(&s, B * HQ * Nq * dv);
    x[4] = numbers(&s, B * HQ * Nq);
    for (size_t k = HK; k < B * HK; k++) {
        memcpy(x[1] + k * Nk * d, x[1] + k % HK * Nk * d,
               p * d * sizeof(float));
        memcpy(x[2] + k * Nk * dv, x[2] + k % HK * Nk * dv,
               p * dv * sizeof(float));
    }
    layer_give(&b.l, x[0], x[1], x[2], x[3], x[4]);
    return b;
}

static void batch_free(batch *b)
{
    for (size_t k = 0; k < 5; k++)
        free(b->data[k]);
}

/* Runs cascade; checks each head against float64, and the counts against the
 * formula. Returns the elements that were moved. */
static size_t check_batch(batch *b, size_t M)
{
    const attention_step *step = &chapter_06_variants[3];
    counts want = heads_formula(&b->l, step, M);
    size_t got;
    memory mem;

    memory_init(&mem, M);
    assert_int_equal(heads_run(&b->l, step, &mem), MEMORY_OK);
    assert_int_equal(mem.counts.read[ALGORITHM], want.read[ALGORITHM]);
    assert_int_equal(mem.counts.written[ALGORITHM], want.written[ALGORITHM]);
    got = counts_moved(mem.counts);
    memory_reset(&mem);
    for (size_t k = 0; k < heads_of(&b->l); k++) {
        head h = head_at(&b->l, k);
        attention_case c = case_of(h.Nq, h.Nk, h.d, h.dv);
        const head own = c.h;

        c.h = h;
        case_expect(&c, &(attention_subject){.step = step});
        case_check(&c, &(attention_subject){.step = step});
        c.h = own;
        case_free(&c);
    }
    return got;
}

static void a_batch_with_a_common_beginning_is_right(void **state)
{
    const float sinks[HQ] = {1, -2, 0.5f, 3, -1, 2};
    random_source r = random_seed(9);

    (void)state;
    for (int k = 0; k < 60; k++) {
        size_t B = 1 + random_below(&r, 5), Nq = 1 + random_below(&r, 9);
        size_t Nk = random_below(&r, 40), p = random_below(&r, Nk + 1);
        batch b = batch_of(B, Nq, Nk, p, 1 + random_below(&r, 6));

        b.l.each.Br = 1 + random_below(&r, 12);
        b.l.each.Bc = 1 + random_below(&r, 12);
        b.l.each.causal = k % 2;
        b.l.each.offset = (long)random_below(&r, 50) - (long)Nq;
        b.l.each.window = k % 3 ? 0 : 1 + random_below(&r, 12);
        b.l.each.sink = k % 4 ? NULL : sinks;
        b.l.alibi = k % 5 == 0;
        if (B > 1) /* a random number never is another, nor are two of V */
            assert_int_equal(cascade_prefix(&b.l, 1), p);
        check_batch(&b, MEMORY_UNBOUNDED);
        batch_free(&b);
    }
}

static void another_key_or_another_value_ends_the_beginning(void **state)
{
    batch b = batch_of(3, 2, 20, 15, 4);

    (void)state;
    assert_int_equal(cascade_prefix(&b.l, 0), 15);
    row(head_at(&b.l, 2 * HQ).V.hbm, 11)[4] += 1;
    assert_int_equal(cascade_prefix(&b.l, 0), 11);
    row(head_at(&b.l, 2 * HQ).K.hbm, 7)[3] += 1;
    assert_int_equal(cascade_prefix(&b.l, 0), 7);
    check_batch(&b, MEMORY_UNBOUNDED);
    batch_free(&b);
}

/* One query each: the prefix once for Br sequences, not once for each. */
static void a_prefix_is_loaded_once_for_a_tile_of_sequences(void **state)
{
    const size_t Nk = 50, p = 43, d = 3, both = d + d + 1;

    (void)state;
    for (size_t B = 2; B <= 9; B++)
        for (size_t Br = 1; Br <= 10; Br++) {
            batch b = batch_of(B, 1, Nk, p, d);
            size_t keys = tiles(B, Br) * p + B * (Nk - p);

            b.l.each.Br = Br;
            b.l.each.Bc = 8;
            assert_int_equal(check_batch(&b, MEMORY_UNBOUNDED),
                             HQ * (B * (d + d + 2) + keys * both));
            batch_free(&b);
        }
}

static void with_tiles_from_M_the_formula_is_right_too(void **state)
{
    (void)state;
    for (size_t M = 40; M < 1000; M += 57) {
        batch b = batch_of(4, 3, 33, 20, 4);

        check_batch(&b, M);
        batch_free(&b);
    }
}

static void a_sequence_by_itself_moves_what_flash2_moves(void **state)
{
    random_source r = random_seed(10);

    (void)state;
    for (int k = 0; k < 40; k++) {
        batch b =
            batch_of(1, 1 + random_below(&r, 30), random_below(&r, 50), 0, 3);

        b.l.each.Br = 1 + random_below(&r, 12);
        b.l.each.Bc = 1 + random_below(&r, 12);
        b.l.each.causal = k % 2;
        b.l.each.offset = (long)random_below(&r, 60) - 30;
        b.l.each.window = k % 3 ? 1 + random_below(&r, 12) : 0;
        counts plain = heads_formula(&b.l, &chapter_06_steps[1], 0);
        assert_int_equal(check_batch(&b, MEMORY_UNBOUNDED),
                         counts_moved(plain));
        batch_free(&b);
    }
}

static void no_sequences_and_no_queries_move_nothing(void **state)
{
    (void)state;
    for (size_t B = 0; B < 3; B++) {
        batch b = batch_of(B, B ? 0 : 3, 7, 0, 2);

        assert_int_equal(check_batch(&b, MEMORY_UNBOUNDED), 0);
        batch_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_with_a_common_beginning_is_right),
        cmocka_unit_test(another_key_or_another_value_ends_the_beginning),
        cmocka_unit_test(a_prefix_is_loaded_once_for_a_tile_of_sequences),
        cmocka_unit_test(a_sequence_by_itself_moves_what_flash2_moves),
        cmocka_unit_test(no_sequences_and_no_queries_move_nothing),
        cmocka_unit_test(with_tiles_from_M_the_formula_is_right_too),
    };

    return run_tests("cascade", tests);
}
