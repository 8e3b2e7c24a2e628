/* 9_parts.cu: mistakes of whole rungs for Hopper: in descriptors, in the
 * merge of parts. Some break no rule of the machine and are seen in the numbers
 * alone. Page: docs/hopper.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

/* --- Products ------------------------------------------------------------- */

/* A stride offset of 1024 bytes, which B() has, as a descriptor has it. */
static const unsigned long long stride = 1024ull >> 4 << 32;

/* [stride_of_four_rows] wgmma
 * The stride offset is that of eight rows: 1024 bytes. */
WGMMA_KERNEL(1, 128, both)
{
    wgmma(d, A(), B() - stride / 2, false); // <- here
    finish(d, b);
}

/* --- Parts ---------------------------------------------------------------- */

/* A part of a row: O not divided by l, m in units of log 2, l. */
struct part {
    float O, m, l;
};

/* [parts_added_as_they_are] wrong numbers: b[0] should be 9
 * Each part was measured from its own maximum, 0 and 3: the first weighs
 * 2^(0 - 3) as much as it says. So (1/8 + 10) / (1/8 + 1). */
KERNEL(1, 1)
{
    const part parts[2] = {{1, 0, 1}, {10, 3, 1}};
    float O = 0, l = 0;
    for (part p : parts) {
        O += p.O; // <- here
        l += p.l;
    }
    b[0] = O / l;
}

/* [nothing_minus_nothing] wrong numbers: b[0] should be 10
 * The first part sees no key: its m is -inf, as that of the row so far, and
 * -inf - -inf is no number. */
KERNEL(1, 1)
{
    const part parts[2] = {{0, -INFINITY, 0}, {10, 3, 1}};
    float m = -INFINITY, O = 0, l = 0;
    for (part p : parts) {
        float m_new = fmaxf(m, p.m);
        float alpha = exp2_approx(m - m_new); // <- here
        float beta = exp2_approx(p.m - m_new);
        O = alpha * O + beta * p.O;
        l = alpha * l + beta * p.l;
        m = m_new;
    }
    b[0] = O / l;
}

/* [part_that_nobody_wrote] uninitialised
 * The second part begins beyond the causal limit, so its block returned and
 * wrote nothing. The merge must know that. */
__global__ void part_that_nobody_wrote(part *parts)
{
    const int keys = 100, seen = 90;
    for (int k = 0; k * keys < seen; k++)
        parts[k] = {1, 0, 1};
    parts[0].O += parts[1].O; // <- here
}
BUG(part_that_nobody_wrote<<<1, 1>>>((part *)new_array(6)));
