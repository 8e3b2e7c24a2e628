/* 9_parts.cu: mistakes of whole rungs for Hopper: in stages and their phases,
 * in the order of products, in descriptors, in the merge of parts. Some break
 * no rule of the machine and are seen in the numbers alone. Page:
 * docs/hopper.md. */
#include "07_cuda/cuda_on_cpu/bugs/hopper.h"

/* --- Stages --------------------------------------------------------------- */

/* [parity_of_the_tile] race
 * With two stages the parity turns with every second tile. Here it turns with
 * every tile: the first wait for the second stage does not wait. */
__global__ void parity_of_the_tile(const __grid_constant__ CUtensorMap map,
                                   float *b)
{
    __shared__ mbarrier full[2];
    int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < 2; s++)
            mbarrier_init(&full[s], 1);
        fence_mbarrier_init();
        for (int s = 0; s < 2; s++) {
            mbarrier_arrive_and_expect(&full[s], 1024);
            tma_load(smem + 1024 * s, &map, &full[s], 0, 0, 0);
        }
    }
    __syncthreads();
    for (int j = 0; j < 2; j++) {
        mbarrier_wait(&full[j % 2], j % 2);
        b[t] += box()[256 * (j % 2) + t]; // <- here
    }
    mbarrier_wait(&full[1], 0);
}
BUG(parity_of_the_tile<<<1, 64, 2048>>>(map_of(bench.a), bench.b));

/* [one_consumer_speaks_for_both] race
 * Two warps read a stage, and `empty` counts one arrival: the producer fills
 * it again when the first is done. */
__global__ void
one_consumer_speaks_for_both(const __grid_constant__ CUtensorMap map, float *b)
{
    int t = threadIdx.x;
    make_barriers();
    for (int i = 0; i < 2; i++) {
        if (t == 64) {
            mbarrier_wait(&empty, i ^ 1);
            mbarrier_arrive_and_expect(&full, 1024);
            tma_load(smem, &map, &full, 0, 0, 0); // <- here
        }
        if (t < 64) {
            mbarrier_wait(&full, i);
            b[t] += box()[t];
            __syncwarp();
            if (t == 0)
                mbarrier_arrive(&empty);
        }
    }
}
BUG(one_consumer_speaks_for_both<<<1, 96, 1024>>>(map_of(bench.a), bench.b));

/* [zeros_count_as_keys] wrong numbers
 * TMA brings zeros where there are no keys. A score of 0 weighs 1: they must
 * be masked. Here are 5 keys, with scores of 0. */
__global__ void zeros_count_as_keys(const __grid_constant__ CUtensorMap map,
                                    float *b)
{
    float l = 0;
    make_barriers_and_ask(&map);
    mbarrier_wait(&full, 0);
    for (int j = 0; j < 8; j++)
        l += exp2_approx(box()[32 * j]); // <- here
    b[threadIdx.x] = l;
}
BUG(zeros_count_as_keys<<<1, 32, 1024>>>(map_of(bench.a, 5), bench.b),
    should_be(bench.b, 5));

/* --- Products ------------------------------------------------------------- */

/* A and B: 64 rows of 64 columns; A is 1 everywhere, B the number of the eight
 * rows, and 0 beyond its 64. So D is 16 times the number of eight columns. */
static __device__ void tiles_of_eights()
{
    for (int i = threadIdx.x; i < 3 * tile / 4; i += blockDim.x) {
        int of_B = (i - tile / 4) / 256;
        float x = i < tile / 4 ? 1 : i < both / 4 ? of_B : 0;
        ((unsigned *)smem)[i] = pack_bf16x2(x, x);
    }
    show();
}

/* A stride offset of 1024 bytes, which B() has, as a descriptor has it. */
static const unsigned long long stride = 1024ull >> 4 << 32;

/* [stride_of_four_rows] wgmma
 * The stride offset is that of eight rows: 1024 bytes. */
__global__ void stride_of_four_rows(float *b)
{
    float d[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, A(), B() - stride / 2, false); // <- here
    finish(d, b);
}
BUG(stride_of_four_rows<<<1, 128, both>>>(bench.b));

/* [every_other_eight_rows] wrong numbers
 * The stride offset is twice what it should be. The swizzle fits, so nothing
 * is said; column 8 of D comes of row 16 of B. */
__global__ void every_other_eight_rows(float *b)
{
    float d[32];
    tiles_of_eights();
    wgmma_fence();
    wgmma(d, A(), B() + stride, false); // <- here
    finish(d, b);
    b[threadIdx.x] = d[4];
}
BUG(every_other_eight_rows<<<1, 128, 3 * tile>>>(bench.b),
    should_be(bench.b, 16));

/* [asked_in_the_wrong_order] wgmma
 * wait<1> leaves the newer group under way. Rung 10 needs S first, so Q K^T
 * must be asked for before P V. */
__global__ void asked_in_the_wrong_order(float *b)
{
    float s[32], o[32] = {};
    unsigned P[4] = {};
    zero_tiles();
    wgmma_fence();
    wgmma_transposed(o, P, B(), true);
    wgmma_commit();
    wgmma(s, A(), B(), false);
    wgmma_commit();
    wgmma_wait<1>(s);
    b[threadIdx.x] = s[0]; // <- here
    wgmma_wait<0>(o);
}
BUG(asked_in_the_wrong_order<<<1, 128, both>>>(bench.b));

/* [rescaled_while_adding] wgmma
 * O is rescaled for the new maximum while P V is still being added to it. */
__global__ void rescaled_while_adding(float *b)
{
    float o[32] = {};
    unsigned P[4] = {};
    zero_tiles();
    wgmma_fence();
    wgmma_transposed(o, P, B(), true);
    wgmma_commit();
    o[0] *= 0.5f; // <- here
    wgmma_wait<0>(o);
    b[threadIdx.x] = o[0];
}
BUG(rescaled_while_adding<<<1, 128, both>>>(bench.b));

/* --- Parts ---------------------------------------------------------------- */

/* A part of a row: O not divided by l, m in units of log 2, l. */
struct part {
    float O, m, l;
};

static const part *parts_in(const Bench &bench, part first, part second)
{
    const part parts[2] = {first, second};
    cudaMemcpy(bench.a, parts, sizeof parts, cudaMemcpyHostToDevice);
    return (const part *)bench.a;
}

/* [parts_added_as_they_are] wrong numbers
 * Each part was measured from its own maximum, 0 and 3: the first weighs
 * 2^(0 - 3) as much as it says. So (1/8 + 10) / (1/8 + 1). */
__global__ void parts_added_as_they_are(const part *a, float *b)
{
    float O = 0, l = 0;
    for (int k = 0; k < 2; k++) {
        O += a[k].O; // <- here
        l += a[k].l;
    }
    b[0] = O / l;
}
BUG(parts_added_as_they_are<<<1, 1>>>(parts_in(bench, {1, 0, 1}, {10, 3, 1}),
                                      bench.b),
    should_be(bench.b, 9));

/* [nothing_minus_nothing] wrong numbers
 * The first part sees no key: its m is -inf, as that of the row so far, and
 * -inf - -inf is no number. */
__global__ void nothing_minus_nothing(const part *a, float *b)
{
    float m = -INFINITY, O = 0, l = 0;
    for (int k = 0; k < 2; k++) {
        float m_new = fmaxf(m, a[k].m);
        float alpha = exp2_approx(m - m_new); // <- here
        float beta = exp2_approx(a[k].m - m_new);
        O = alpha * O + beta * a[k].O;
        l = alpha * l + beta * a[k].l;
        m = m_new;
    }
    b[0] = O / l;
}
BUG(nothing_minus_nothing<<<1, 1>>>(parts_in(bench, {0, -INFINITY, 0},
                                             {10, 3, 1}),
                                    bench.b),
    should_be(bench.b, 10));

/* [part_that_nobody_wrote] uninitialised
 * The second part begins beyond the causal limit, so its block returned and
 * wrote nothing. The merge must know that. */
__global__ void writes_what_it_sees(part *parts, int keys, int seen)
{
    int first = blockIdx.x * keys;
    if (first < seen)
        parts[blockIdx.x] = {1, 0, 1};
}
__global__ void part_that_nobody_wrote(const part *parts, float *b)
{
    for (int k = 0; k < 2; k++)
        b[0] += parts[k].O; // <- here
}
static void both_kernels(part *parts, float *b)
{
    writes_what_it_sees<<<2, 1>>>(parts, 100, 90);
    part_that_nobody_wrote<<<1, 1>>>(parts, b);
}
BUG(both_kernels((part *)new_array(6), bench.b));

/* [parts_in_one_place] race
 * Every part needs a place of its own: no block knows when another is done. */
__global__ void parts_in_one_place(float *b)
{
    b[threadIdx.x] = blockIdx.x; // <- here
}
BUG(parts_in_one_place<<<2, 32>>>(bench.b));
