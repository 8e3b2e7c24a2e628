#include "tools/flash/flash_steps.h"

#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/variants/steps.h"

const bool steps_have_M = true;
const char *const step_types[] = {"fp32", NULL};

precision step_type(size_t choice)
{
    (void)choice;
    return FP32;
}

static size_t add_softmax(listed_step list[], size_t n, const char *chapter,
                          const softmax_step *s)
{
    for (; s->name; s++)
        list[n++] = (listed_step){chapter, s->name, s->idea, .softmax = s};
    return n;
}

static size_t add(listed_step list[], size_t n, const char *chapter,
                  const attention_step *s, bool is_variant)
{
    for (; s->name; s++)
        list[n++] = (listed_step){chapter, s->name, s->idea, s,
                                  .is_variant = is_variant};
    return n;
}

static size_t add_backward(listed_step list[], size_t n, const char *chapter,
                           const backward_step *s)
{
    for (; s->name; s++)
        list[n++] = (listed_step){chapter, s->name, s->idea, .back = s};
    return n;
}

size_t softmax_steps(listed_step list[MOST_LISTED])
{
    size_t n = add_softmax(list, 0, "01", chapter_01_steps);

    n = add_softmax(list, n, "02", chapter_02_steps);
    return add_softmax(list, n, "03", chapter_03_steps);
}

size_t forward_steps(listed_step list[MOST_LISTED], precision type)
{
    size_t n = add(list, 0, "04", chapter_04_steps, false);

    (void)type;
    n = add(list, n, "05", chapter_05_steps, false);
    n = add(list, n, "06", chapter_06_steps, false);
    n = add(list, n, "06", chapter_06_bf16, true);
    return add(list, n, "06", chapter_06_variants, true);
}

size_t backward_steps(listed_step list[MOST_LISTED])
{
    size_t n = add_backward(list, 0, "05", chapter_05_backward);

    return add_backward(list, n, "06", chapter_06_backward);
}

const char *fastest_forward(const layer *l, bool tiled, bool blocks)
{
    if (blocks)
        return "flash2_block_mask";
    if (tiled)
        return "flash2_parallel";
    if (l->each.Q.narrow && l->each.Q.type == BF16 && bf16_step(l))
        return bf16_step(l)->name;
    return l->each.Nq <= FEW_QUERIES ? "split_kv_simd" : "flash2_simd";
}

const char *fastest_backward(bool tiled)
{
    return tiled ? "flash2_backward_parallel" : "backward_simd";
}
