/*
 * The steps of `flash-cuda`: chapter 07's rungs and backward rungs.
 * tools/flash/flash_steps.h has the contract of each function.
 */
#include "tools/flash/flash_steps.h"

#include "07_cuda/backward/steps.h"
#include "07_cuda/host/device.h"
#include "07_cuda/steps.h"

const bool steps_have_M = false;
const char *const step_types[] = {"bf16", "fp16", NULL};

precision step_type(size_t choice)
{
    return choice ? FP16 : BF16;
}

size_t softmax_steps(listed_step list[MOST_LISTED])
{
    (void)list;
    return 0;
}

size_t forward_steps(listed_step list[MOST_LISTED], precision type)
{
    size_t n = 0;

    for (const attention_step *s = ladder_steps(type); s->name; s++)
        list[n++] = (listed_step){"07", s->name, s->idea, .step = s};
    return n;
}

size_t backward_steps(listed_step list[MOST_LISTED])
{
    size_t n = 0;

    for (const backward_step *s = chapter_07_backward; s->name; s++)
        list[n++] = (listed_step){"07", s->name, s->idea, .back = s};
    return n;
}

/* Returns "full", the fastest rung that does not need a Hopper GPU, or
 * "warp_tiles" if this device cannot run "full". */
const char *fastest_forward(const layer *l, bool tiled, bool blocks)
{
    (void)l;
    (void)blocks;
    (void)tiled;
    return ladder[widest_here(&ladder[RUNG_full].needs) ? RUNG_full
                                                        : RUNG_warp_tiles]
        .name;
}

const char *fastest_backward(bool tiled)
{
    (void)tiled;
    return "backward_two_kernels";
}
