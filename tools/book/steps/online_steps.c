/*
 * The states of online softmax, by chapter 03's own merge and exponential
 * (online_steps.h).
 */
#include "tools/book/steps/online_steps.h"

#include "03_online_softmax/steps.h"
#include "common/exp_minus.h"
#include "common/matrix.h"

void online_steps_of(online_steps *all, const float *x, size_t n)
{
    softmax_state past = {-INFINITY, 0};
    softmax_row r = {
        .n = min_size(n, MOST_SCORES), .x = x, .y = all->y, .type = FP32};

    all->n = r.n;
    for (size_t i = 0; i < r.n; i++) {
        softmax_state now = merge(past, (softmax_state){x[i], 1});

        all->step[i] = (online_step){.x = x[i],
                                     .m = now.m,
                                     .alpha = exp_minus(past.m, now.m),
                                     .p = exp_minus(x[i], now.m),
                                     .l = now.l};
        past = now;
    }
    online_softmax(&r);
    all->L = r.L;
}

float online_share(const online_steps *all, size_t j, size_t k)
{
    return exp_minus(all->step[j].x, all->step[k].m);
}
