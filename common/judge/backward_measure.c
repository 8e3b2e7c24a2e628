/*
 * Running a backward step and judging what it gave (backward_measure.h).
 */
#include "common/judge/backward_measure.h"

#include <math.h>

const backward_measurement *backward_measured(const backward_measurement m[],
                                              backward_fn *kernel)
{
    while (m->step->run != kernel)
        m++;
    return m;
}

int measure_backward(const backward_layer *b, const backward_step *step,
                     size_t M, size_t runs, const gradient_truth *truth,
                     backward_measurement *m)
{
    double seconds = HUGE_VAL;

    *m = (backward_measurement){.step = step};
    for (size_t k = 0; k < runs; k++) {
        int status = backward_run(b, step, M, &m->cost);

        if (status != 0)
            return status;
        seconds = fmin(seconds, m->cost.seconds);
    }
    m->cost.seconds = seconds;
    m->errors = gradient_errors_of(b, truth);
    m->judged = truth->heads > 0 || heads_of(&b->forward.problem) == 0;
    m->tiles = backward_tiles(step, &b->forward.problem.each, M);
    if (step->formula)
        m->formula = backward_formula(b, step, M);
    return 0;
}
