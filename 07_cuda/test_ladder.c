/*
 * Every rung keeps attention's contract, and what the emulator counts for it
 * is what the closed forms say.
 */
#include "common/attention_contract.h"

#include "07_cuda/steps.h"

int main(void)
{
    static const attention_excuse excuses[] = {
        /* Every later tile divides by l and multiplies by it again. */
        {"flash1", MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE | SAME_BITS,
         300000},
        {"flash2", MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE, 300000},
        {"float4", MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE, 300000},
        {"warp_tiles", MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE, 300000},
        {"sliced_k", MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE, 300000},
        {"split_q", MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE, 300000},
        {0},
    };

    return run_attention_tests("ladder", ladder_steps(BF16), excuses, NULL, 0);
}
