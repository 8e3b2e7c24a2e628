/* Chapter 02: subtracts the row's maximum first. */
#ifndef SAFE_SOFTMAX_STEPS_H
#define SAFE_SOFTMAX_STEPS_H

#include "common/softmax_row.h"

/* Three passes: the maximum, the sum, the weights. */
void safe_softmax(softmax_row *r);

static const softmax_step chapter_02_steps[] = {
    {"safe_softmax", "subtract the row's maximum first", safe_softmax},
    {0},
};

#endif
