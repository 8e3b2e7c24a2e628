/* Tests naive softmax in fp32's range, and its failures outside of it. */
#include "01_naive_softmax/steps.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/contract/softmax_contract.h"

#define INF INFINITY

static const struct {
    const char *because;
    size_t n;
    float x[8], y[8], L;
} rows[] = {
    {"e^89 is inf, and inf / inf is NaN", 1, {89}, {NAN}, INF},
    {"the weight of 88 is 1.7e38 / inf = 0, but 0.27 would be right",
     3,
     {88, 89, 0},
     {0, NAN, 0},
     INF},
    {"e^86.6 is finite, and the sum of 8 of them, too",
     8,
     {86.6f, 86.6f, 86.6f, 86.6f, 86.6f, 86.6f, 86.6f, 86.6f},
     {0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.125f},
     88.6794f},
    {"e^86.7 is finite, but the sum of 8 of them is not",
     8,
     {86.7f, 86.7f, 86.7f, 86.7f, 86.7f, 86.7f, 86.7f, 86.7f},
     {0},
     INF},
    {"all e^x are 0, and 0 / 0 is NaN",
     3,
     {-104, -105, -110},
     {NAN, NAN, NAN},
     -INF},
    {"in units of 2^-149, e^-102 is 4 and e^-103 is 1: not 0.731",
     2,
     {-102, -103},
     {0.8f, 0.2f},
     -101.6695f},
    {"masked scores give 0 / 0", 2, {-INF, -INF}, {NAN, NAN}, -INF},
    {"the weight of +inf is NaN, the other weights are 0",
     3,
     {0, INF, 88},
     {0, NAN, 0},
     INF},
};

TEST(it_fails_as_the_page_describes)
{
    const softmax_subject naive = {naive_softmax, 2, 1};

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        softmax_row r = softmax_of(&naive, rows[k].x, rows[k].n, FP32);

        for (size_t i = 0; i < r.n; i++)
            if (!is_close_or_nan((double)r.y[i], (double)rows[k].y[i], 1e-6))
                fail_msg("%s: want y[%zu] = %g, got %g", rows[k].because, i,
                         (double)rows[k].y[i], (double)r.y[i]);
        if (!is_close((double)r.L, (double)rows[k].L, 1e-4))
            fail_msg("%s: want L = %g, got %g", rows[k].because,
                     (double)rows[k].L, (double)r.L);
        softmax_free(&r);
    }
}

int main(void)
{
    const softmax_entry steps[] = {
        {"naive_softmax", {naive_softmax, 2, 64}, true}, {0}};

    return run_softmax_tests("naive_softmax", steps);
}
