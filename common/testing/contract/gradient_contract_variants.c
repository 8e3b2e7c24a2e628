/*
 * Claims of gradient_contract.h: what else a problem may ask of the scores,
 * alone and with a mask, a softcap and a causal limit. docs/variants.md
 */
#include "common/testing/contract/gradient_contract.h"

#include <math.h>

/* kind: causal 1, a mask 2, a softcap 4. */
static gradient_case some_case(size_t Nq, size_t Nk, int kind)
{
    attention_case forward = case_of(Nq, Nk, 4, 3);

    case_random(&forward, 31);
    forward.h.causal = kind & 1;
    forward.h.offset = (long)Nk - (long)Nq;
    forward.h.softcap = kind & 4 ? 5 : 0;
    if (kind & 2) {
        case_mask(&forward);
        for (size_t i = 0; i < Nq; i++)
            for (size_t j = 0; j < Nk; j++)
                mask_of(&forward, i)[j] = (i * 5 + j * 3) % 7 ? 1 : -INFINITY;
    }
    return gradient_case_of(forward);
}

/* --- A window ------------------------------------------------------------- */

static void a_window_is_one_backwards_too(void **subject)
{
    const size_t windows[] = {1, 6, 30};

    for (int kind = 0; kind < 8; kind++)
        for (size_t w = 0; w < 3; w++) {
            gradient_case c = some_case(20, 40, kind);

            c.forward.h.window = windows[w];
            check_tiled_gradients(*subject, &c);
            c.forward.h.offset = -7;
            check_tiled_gradients(*subject, &c);
            gradient_free(&c);
        }
}

static void alibi_only_moves_the_weights(void **subject)
{
    for (int kind = 0; kind < 8; kind++) {
        gradient_case c = some_case(20, 40, kind);

        c.forward.h.slope = 0.25f;
        check_tiled_gradients(*subject, &c);
        c.forward.h.window = 6;
        check_tiled_gradients(*subject, &c);
        gradient_free(&c);
    }
}

/* L contains it: then dQ, dK and dV follow. */
static void a_sink_takes_weight_from_all_gradients(void **subject)
{
    const float sinks[] = {-3, 2.5f, 20};

    for (int kind = 0; kind < 8; kind++)
        for (size_t k = 0; k < 3; k++) {
            gradient_case c = some_case(20, 40, kind);

            c.forward.h.sink = &sinks[k];
            check_tiled_gradients(*subject, &c);
            c.forward.h.offset = -7;
            check_tiled_gradients(*subject, &c);
            gradient_free(&c);
        }
}

static void a_block_left_out_gives_no_gradient(void **subject)
{
    const size_t sizes[] = {1, 3, 8, 16};
    float of[20 * 40];

    for (int kind = 0; kind < 8; kind++)
        for (size_t k = 0; k < 4; k++) {
            gradient_case c = some_case(20, 40, kind);
            size_t rows = tiles(20, sizes[k]), cols = tiles(40, sizes[k]);

            for (size_t b = 0; b < rows * cols; b++)
                of[b] = b % 5 == 0 || b % 7 == 2 ? 1 : 0;
            c.forward.h.blocks.of = matrix_of(of, rows, cols);
            c.forward.h.blocks.size = sizes[k];
            check_tiled_gradients(*subject, &c);
            gradient_free(&c);
        }
}

const gradient_claim gradient_variant_claims[] = {
    GRADIENT_CLAIM(a_window_is_one_backwards_too, 0),
    GRADIENT_CLAIM(alibi_only_moves_the_weights, 0),
    GRADIENT_CLAIM(a_sink_takes_weight_from_all_gradients, 0),
    GRADIENT_CLAIM(a_block_left_out_gives_no_gradient, 0),
    {0},
};
