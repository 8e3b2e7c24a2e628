/* Chapter 01: softmax by its definition. */
#ifndef NAIVE_SOFTMAX_STEPS_H
#define NAIVE_SOFTMAX_STEPS_H

#include "common/softmax_row.h"

/*
 * Computes y = e^x / sum e^x in two passes. y is right if max x + ln n < 88.72
 * and min x > -87.3. Below -87.3 e^x is subnormal and loses digits; below
 * -103.97 it is 0.
 */
void naive_softmax(softmax_row *r);

static const softmax_step chapter_01_steps[] = {
    {"naive_softmax", "e^x / sum e^x, overflows beyond 88.72", naive_softmax},
    {0},
};

#endif
