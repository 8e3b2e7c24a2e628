/*
 * Rung 11 against its model in float64 (fp8_model.h): of the same e4m3
 * numbers, with the weights rounded as the rung rounds them, so that nothing
 * is left but fp32's sums and bf16's O:
 *
 *     O    2^-8 |O| + 1e-5 max|V|, and what it makes that a weight next to
 *          the middle of two codes may go to the other one
 *     L    4e-6 max(1, |L|)
 *
 * On a GPU more: it is reported to keep about 14 bits of sums of e4m3. The
 * emulator does so with CUDA_ON_CPU_ROUND=hardware: then it is off by
 * more than 2^-6, and by less than 2^-5.
 */
#ifndef CUDA_TEST_FP8_H
#define CUDA_TEST_FP8_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/host/device.h"
#include "07_cuda/fp8/fp8.h"
#include "07_cuda/fp8/fp8_model.h"
#include "07_cuda/fp8/fp8_problem.h"

/* What may be off where sums are fp32's; where they may be cut to 14 bits. */
static inline double fp8_off(double exact)
{
#ifdef CUDA_ON_CPU
    const char *round = getenv("CUDA_ON_CPU_ROUND");

    return round && *round ? 0x1p-5 : exact;
#else
    (void)exact;
    return 0x1p-5;
#endif
}

static const fp8_shape fp8_shapes[] = {
    {1, 1, 1, 1, 64, 1},        {1, 1, 64, 128, 64, 128},
    {1, 1, 239, 1, 64, -238},   {2, 1, 113, 203, 128, 203},
    {1, 1, 130, 700, 64, 500},  {1, 1, 300, 300, 128, 0},
    {4, 2, 330, 620, 64, 290},  {2, 2, 140, 390, 128, 250},
    {3, 3, 260, 100, 64, -160}, {2, 1, 70, 300, 128, -70},
    {2, 2, 799, 3, 64, 3},      {1, 1, 40, 0, 64, 0},
};
enum { FP8_SHAPES = sizeof fp8_shapes / sizeof fp8_shapes[0] };

static inline double fp8_largest(const double *x, size_t n)
{
    double largest = 0;

    for (size_t e = 0; e < n; e++)
        if (isfinite(x[e]))
            largest = fmax(largest, fabs(x[e]));
    return largest;
}

/* O and L of p against the model, p->scratch holding what was attended to. */
static inline void fp8_check_outputs(const rung_problem *p)
{
    size_t rows = (size_t)(p->heads * p->Nq), D = (size_t)p->D;
    fp8_numbers x = fp8_numbers_of(p, true);
    double *O = malloc(rows * D * sizeof *O), *L = malloc(rows * sizeof *L);
    double *slack = malloc(rows * sizeof *slack);
    double V = fp8_largest(x.V, fp8_count_k(p));

    fp8_model_attend(p, &x, (fp8_rounding){true, 0}, O, L, slack);
    for (size_t e = 0; e < rows * D; e++) {
        double o = (double)from_bf16(((const uint16_t *)p->O)[e]);
        double off = 0x1p-8 * fabs(O[e]) + (fp8_off(1e-5) + slack[e / D]) * V;

        if (!is_close_or_nan(o, O[e], off))
            fail_msg("O[%zu][%zu]: %g, not %g (tolerance %g)", e / D, e % D, o,
                     O[e], off);
    }
    for (size_t i = 0; i < rows; i++)
        if (!is_close_or_nan((double)p->L[i], L[i],
                             fp8_off(4e-6) * fmax(1, fabs(L[i]))))
            fail_msg("L[%zu]: %g, not %g", i, (double)p->L[i], L[i]);
    free(O);
    free(L);
    free(slack);
    fp8_numbers_free(&x);
}

/* Both halves on p: the first against the model byte for byte. */
static inline void fp8_check(const rung_problem *p)
{
    rung_problem model = *p;
    size_t bytes = scratch_bytes(p);

    model.scratch = malloc(bytes);
    memset(model.scratch, 0xaa, bytes);
    fp8_model_quantise(&model, false);
    assert_int_equal(rung_on_device(rung_fp8, p, NULL), 0);
    assert_memory_equal(p->scratch, model.scratch, bytes);
    fp8_check_outputs(p);
    free(model.scratch);
}

#endif
