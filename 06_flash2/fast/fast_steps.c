/* Each step runs its kernel for the target in FLASH2_TARGET, or for the best
 * target of this CPU (common/speed/targets.h). */
#include "06_flash2/fast/fast_steps.h"

#include "06_flash2/steps.h"

#define X(target)                                                              \
    {&flash2_lanes_##target, &flash2_simd_##target, split_kv_simd_##target,    \
     &widened_##target},
static const struct {
    const block_kernel *lanes, *simd;
    part_kernel *split;
    const bf16_kernel *widened;
} kernels[] = {TARGETS};
#undef X

typedef enum { LANES, SIMD, SPLIT } which_step;

static int attend(which_step which, const layer *l, memory *mem)
{
    size_t t = choose_target(mem->message);

    if (t == target_count())
        return mem->error = MEMORY_REFUSED;
    /* With more queries flash2_simd is faster, because it reuses K and V. */
    if (which == SPLIT && l->each.Nq <= FEW_QUERIES)
        return attend_parts(kernels[t].split, l, mem);
    if (only_narrow(&l->each.K))
        return attend_in_bf16(kernels[t].widened, l, mem);
    return attend_blocks(which == LANES ? kernels[t].lanes : kernels[t].simd, l,
                         mem);
}

int flash2_lanes(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(LANES, l, mem);
}

int flash2_simd(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(SIMD, l, mem);
}

int split_kv_simd(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(SPLIT, l, mem);
}
