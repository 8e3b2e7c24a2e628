/*
 * The little language model's gradients are those of its loss, whichever
 * attention it has; and all attentions agree on them.
 */
#include "docs/lab/model.h"

#include <math.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/problem/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

static const attention_pair pairs[] = {
    {"standard", standard_attention, standard_backward, KEEPS_P},
    {"flash1", flash1, flash1_backward, KEEPS_M_L},
    {"flash2", flash2, flash2_backward, KEEPS_L},
    {"two_kernels", flash2, two_kernel_backward, KEEPS_L},
    {"simd", flash2_simd, backward_simd, KEEPS_L},
};
enum { PAIRS = 5, B = 2, T = 10, VOCABULARY = 11 };

/* Products of 36, 108 and 144 columns: with twice 64 of them, and with none. */
static const model_sizes sizes = {VOCABULARY, 2, B, T, 36, 3};
static unsigned char tokens[B * T], next[B * T];

static void make(model *m, const attention_pair *pair)
{
    random_source source = random_seed(3);

    for (size_t i = 0; i < B * T; i++) {
        tokens[i] = (unsigned char)random_below(&source, VOCABULARY);
        next[i] = (unsigned char)random_below(&source, VOCABULARY);
    }
    assert_int_equal(model_new(m, sizes, pair, 5), 0);
    assert_int_equal(model_forward(m, tokens), 0);
}

/* The loss with all weights moved by eps along the direction. */
static double moved_loss(model *m, const float *direction, float eps)
{
    double loss;

    axpy(m->weight, eps, direction, m->parameters);
    assert_int_equal(model_forward(m, tokens), 0);
    loss = model_loss(m, next);
    axpy(m->weight, -eps, direction, m->parameters);
    return loss;
}

/* x becomes as long as 1. */
static void shorten(float *x, size_t n)
{
    rescale(x, 1 / sqrtf(dot(x, x, n)), n);
}

/* Along a direction that is half the gradient's own and half random: a short
 * step, for relu has kinks. */
static void gradients_are_how_the_loss_changes(void **state)
{
    (void)state;
    for (size_t k = 0; k < PAIRS; k++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            random_source source = random_seed(seed);
            float *direction;
            double slope;
            model m;

            make(&m, &pairs[k]);
            assert_int_equal(model_backward(&m, tokens, next), 0);
            direction = malloc(m.parameters * sizeof *direction);
            assert_non_null(direction);
            random_fill(&source, direction, m.parameters, 1);
            shorten(direction, m.parameters);
            axpy(direction, 1, m.gradient, m.parameters);
            shorten(direction, m.parameters);
            slope = (moved_loss(&m, direction, 3e-4f) -
                     moved_loss(&m, direction, -3e-4f)) /
                    6e-4;
            assert_close(dot(m.gradient, direction, m.parameters), slope,
                         0.01 * slope);
            free(direction);
            model_free(&m);
        }
}

static void all_attentions_agree(void **state)
{
    model first;

    (void)state;
    make(&first, &pairs[0]);
    assert_int_equal(model_backward(&first, tokens, next), 0);
    for (size_t k = 1; k < PAIRS; k++) {
        model m;

        make(&m, &pairs[k]);
        assert_close(model_loss(&m, next), log(VOCABULARY), 2);
        assert_int_equal(model_backward(&m, tokens, next), 0);
        for (size_t e = 0; e < m.parameters; e++)
            assert_close(m.gradient[e], first.gradient[e], 2e-6);
        model_free(&m);
    }
    model_free(&first);
}

/* A token is only told by those before it: the last one changes no other. */
static void no_token_sees_the_future(void **state)
{
    float before[T * VOCABULARY];
    model m;

    (void)state;
    make(&m, &pairs[2]);
    for (size_t e = 0; e < (T - 1) * VOCABULARY; e++)
        before[e] = m.logits[e];
    tokens[T - 1] = (unsigned char)((tokens[T - 1] + 1) % VOCABULARY);
    assert_int_equal(model_forward(&m, tokens), 0);
    assert_memory_equal(before, m.logits, (T - 1) * VOCABULARY * sizeof(float));
    model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_how_the_loss_changes),
        cmocka_unit_test(all_attentions_agree),
        cmocka_unit_test(no_token_sees_the_future),
    };

    return run_tests("model", tests);
}
