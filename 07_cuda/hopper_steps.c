/*
 * The Hopper rungs as attention steps (hopper_steps.h).
 */
#include "07_cuda/hopper_steps.h"

#include "07_cuda/hopper.h"
#include "07_cuda/padded.h"

#define AS_RUNG(name, Br64, Br128, Bc64, Bc128, idea)                          \
    {#name, idea, BF16, rung_##name, {Br64, Br128}, {Bc64, Bc128}},

static const rung rungs[] = {HOPPER_RUNGS(AS_RUNG)};

/* TMA brings whole tiles of K and V, as far as any query sees; so the tile at
 * a causal limit is loaded beyond it. */
static counts traffic(const rung *r, const head *h)
{
    size_t D = padded_columns(h), wide = D == 128;
    size_t Br = (size_t)r->Br[wide], Bc = (size_t)r->Bc[wide];
    size_t seen = keys_seen_by(h, 0, h->Nq);
    counts sum = {0};

    for (size_t i0 = 0; i0 < h->Nq; i0 += Br) {
        size_t br = i0 + Br < h->Nq ? Br : h->Nq - i0;
        size_t keys = (keys_seen_by(h, i0, br) + Bc - 1) / Bc * Bc;

        if (keys > 0)
            sum.read[ALGORITHM] += D * (br + 2 * (keys < seen ? keys : seen));
        sum.written[ALGORITHM] += br * (D + 1);
    }
    return sum;
}

#define FUNCTIONS(name, ...)                                                   \
    static int name##_one(const head *h, memory *mem)                          \
    {                                                                          \
        return rung_step(&rungs[HOPPER_##name], BF16, h, 1, mem);              \
    }                                                                          \
    static int name##_heads(const head heads[], size_t n, memory *mem)         \
    {                                                                          \
        return rung_step(&rungs[HOPPER_##name], BF16, heads, n, mem);          \
    }                                                                          \
    static counts name##_traffic(const head *h, tile_sizes t)                  \
    {                                                                          \
        (void)t;                                                               \
        return traffic(&rungs[HOPPER_##name], h);                              \
    }

HOPPER_RUNGS(FUNCTIONS)

#ifdef CUDA_ON_CPU
#define FORMULA(name) name
#else
#define FORMULA(name) NULL
#endif

#define AS_STEP(name, a, b, c, d, idea)                                        \
    {#name,                                                                    \
     BF16,                                                                     \
     idea,                                                                     \
     name##_one,                                                               \
     name##_heads,                                                             \
     NULL,                                                                     \
     FORMULA(name##_traffic)},

const attention_step *hopper_steps(void)
{
    static const attention_step steps[] = {HOPPER_RUNGS(AS_STEP){0}};

    return steps;
}
