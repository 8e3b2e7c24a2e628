/*
 * The fast steps as the others see them: each takes the target that was asked
 * for, or the best that this CPU runs (common/speed/targets.h).
 */
#include "06_flash2/fast/fast_steps.h"

#include "06_flash2/steps.h"

#define X(target) &flash2_lanes_##target,
static const block_kernel *const lanes[] = {TARGETS};
#undef X

#define X(target) &flash2_simd_##target,
static const block_kernel *const simd[] = {TARGETS};
#undef X

#define X(target) split_kv_simd_##target,
static part_kernel *const split[] = {TARGETS};
#undef X

static int attend(const block_kernel *const kernels[], const layer *l,
                  memory *mem)
{
    size_t t = choose_target(mem->message);

    if (t == target_count())
        return mem->error = MEMORY_REFUSED;
    return attend_blocks(kernels[t], l, mem);
}

int flash2_lanes_layer(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(lanes, l, mem);
}

int flash2_lanes(const head *h, memory *mem)
{
    layer one = layer_of(h);

    return attend(lanes, &one, mem);
}

int flash2_simd_layer(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend(simd, l, mem);
}

int flash2_simd(const head *h, memory *mem)
{
    layer one = layer_of(h);

    return attend(simd, &one, mem);
}

/* More queries than this use K and V often enough for flash2_simd. */
enum { FEW_QUERIES = 16 };

int split_kv_simd_layer(const attention_step *step, const layer *l, memory *mem)
{
    size_t t = choose_target(mem->message);

    (void)step;
    if (t == target_count())
        return mem->error = MEMORY_REFUSED;
    if (l->each.Nq > FEW_QUERIES)
        return attend_blocks(simd[t], l, mem);
    return attend_parts(split[t], l, mem);
}

int split_kv_simd(const head *h, memory *mem)
{
    layer one = layer_of(h);

    return split_kv_simd_layer(NULL, &one, mem);
}
