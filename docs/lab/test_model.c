/*
 * The little language model's gradients are those of its loss, whichever
 * attention it has; and all attentions agree on them.
 */
#include "docs/lab/model.h"

#include <math.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

/* Logits of 64 columns side by side, and of 11 behind them. */
enum { VOCABULARY = 75, AT_THE_END = BATCH - 1 };
static unsigned char tokens[BATCH], next[BATCH];

static model made, first;

/* After a pass forward. */
static void make(model *m, const attention_pair *pair)
{
    random_source source = random_seed(3);

    for (size_t i = 0; i < BATCH; i++) {
        tokens[i] = (unsigned char)random_below(&source, VOCABULARY);
        next[i] = (unsigned char)random_below(&source, VOCABULARY);
    }
    model_begin(m, VOCABULARY, pair);
    assert_int_equal(model_forward(m, tokens), 0);
}

/* The loss with all weights moved by eps along the direction. */
static double moved_loss(model *m, const float *direction, float eps)
{
    double loss;

    axpy((float *)&m->weight, eps, direction, PARAMETERS);
    assert_int_equal(model_forward(m, tokens), 0);
    loss = model_loss(m, next);
    axpy((float *)&m->weight, -eps, direction, PARAMETERS);
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
    for (size_t k = 0; k < PAIRS; k++) {
        random_source source = random_seed(k);
        static float direction[PARAMETERS];
        const float *gradient = (const float *)&made.gradient;
        double slope;

        make(&made, &attention_pairs[k]);
        assert_int_equal(model_backward(&made, tokens, next), 0);
        random_fill(&source, direction, PARAMETERS, 1);
        shorten(direction, PARAMETERS);
        axpy(direction, 1, gradient, PARAMETERS);
        shorten(direction, PARAMETERS);
        slope = (moved_loss(&made, direction, 3e-4f) -
                 moved_loss(&made, direction, -3e-4f)) /
                6e-4;
        assert_close(dot(gradient, direction, PARAMETERS), slope, 0.01 * slope);
    }
}

static void all_attentions_agree(void **state)
{
    make(&first, &attention_pairs[STANDARD]);
    assert_int_equal(model_backward(&first, tokens, next), 0);
    for (size_t k = 1; k < PAIRS; k++) {
        make(&made, &attention_pairs[k]);
        assert_close(model_loss(&made, next), log(VOCABULARY), 2);
        assert_int_equal(model_backward(&made, tokens, next), 0);
        for (size_t e = 0; e < PARAMETERS; e++)
            assert_close(((float *)&made.gradient)[e],
                         ((float *)&first.gradient)[e], 2e-6);
    }
}

/* Each sum of the last token, in float64: of 64 columns side by side, and of
 * those behind them. */
static void products_are_whole(void **state)
{
    enum { IN = 19, OUT = VOCABULARY, LAST = BATCH - 1 };
    static float X[BATCH * IN], Y[BATCH * OUT], dX[BATCH * IN];
    float W[IN * OUT], dW[IN * OUT] = {0};
    random_source source = random_seed(4);

    random_fill(&source, X, BATCH * IN, 1);
    random_fill(&source, W, IN * OUT, 1);
    multiply(Y, X, W, IN, OUT);
    for (size_t c = 0; c < OUT; c++) {
        double y = 0;

        for (size_t k = 0; k < IN; k++)
            y += (double)X[LAST * IN + k] * (double)W[k * OUT + c];
        assert_close(Y[LAST * OUT + c], y, 1e-5);
    }
    multiply_back(dX, dW, Y, X, W, IN, OUT);
    for (size_t k = 0; k < IN; k++) {
        double dx = 0;

        for (size_t c = 0; c < OUT; c++)
            dx += (double)Y[LAST * OUT + c] * (double)W[k * OUT + c];
        assert_close(dX[LAST * IN + k], dx, 1e-4);
    }
}

/* A token is only told by those before it: the last one changes no other. */
static void no_token_sees_the_future(void **state)
{
    static float before[AT_THE_END * VOCABULARY];

    make(&made, &attention_pairs[FLASH2]);
    memcpy(before, made.logits, sizeof before);
    tokens[AT_THE_END] = (unsigned char)((tokens[AT_THE_END] + 1) % VOCABULARY);
    assert_int_equal(model_forward(&made, tokens), 0);
    assert_memory_equal(before, made.logits, sizeof before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_how_the_loss_changes),
        cmocka_unit_test(all_attentions_agree),
        cmocka_unit_test(products_are_whole),
        cmocka_unit_test(no_token_sees_the_future),
    };

    return run_tests("model", tests);
}
