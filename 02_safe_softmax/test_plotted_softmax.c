/*
 * The plots of chapters 01 and 02 compute softmax in fp16, fp32 and fp64, for
 * which there are no kernels. In fp32 there are: both must say the same.
 */
#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"
#include "common/testing/assert_close.h"
#include "common/lesson/softmax_lesson.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <string.h>

static const float_format *fp32(void)
{
    for (size_t k = 0; k < FORMATS; k++)
        if (!strcmp(formats[k].name, "fp32"))
            return &formats[k];
    return NULL;
}

/*
 * Rows of NEAR scores up to x, `apart` from each other, for x from one cliff
 * past the other. expf may round otherwise: by one step, if subnormal a large
 * one.
 */
static void check(softmax_in *plotted, softmax_fn *kernel, double apart)
{
    for (double top = -130; top < 130; top += 0.37) {
        double x[NEAR], want[NEAR];
        double relative = top > -80 ? 4 * 0x1p-23 : 1;
        float scores[NEAR], got[NEAR];
        softmax_row r = {.n = NEAR, .x = scores, .y = got};

        for (size_t i = 0; i < NEAR; i++) {
            scores[i] = (float)(top - apart * (double)i);
            x[i] = (double)scores[i];
        }
        plotted(fp32(), x, want, NEAR);
        kernel(&r);
        for (size_t i = 0; i < NEAR; i++) {
            assert_int_equal(isnan(got[i]), isnan(want[i]));
            if (!isnan(want[i]))
                assert_close(got[i], want[i], relative * want[i] + 0x1p-149);
        }
    }
}

static void naive_softmax_is_plotted_as_its_kernel_computes(void **state)
{
    check(naive_softmax_in, naive_softmax, 0.1);
}

static void safe_softmax_is_plotted_as_its_kernel_computes(void **state)
{
    check(safe_softmax_in, safe_softmax, 0.1);
    check(safe_softmax_in, safe_softmax, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naive_softmax_is_plotted_as_its_kernel_computes),
        cmocka_unit_test(safe_softmax_is_plotted_as_its_kernel_computes),
    };

    return run_tests("plotted_softmax", tests);
}
