/*
 * What steps of the chapters lose on the precision lab's problems, against
 * float64: of attention, O; of a softmax step its weights, for the scores of
 * the same problems in fp32, stored as c.stored.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "docs/lab/problem.h"

/* Those that docs/precision.md tells of. */
enum {
    OF_ROWS = 1,  /* the softmax of chapters 01 to 03 */
    OF_HEADS = 2, /* attention */
    ROUNDING = 4, /* that rounds what it stores: not the fast ones */
    TILED = 8,    /* whose tile sizes may be chosen */
    STANDARD = 16 /* standard_attention alone */
};

/* Runs the steps of these sets on the same problems, three or 16 seeded ones or
 * all heads of the bundled layer ("real", and then what is named), and prints a
 * line for each. Returns 0, or 1 after one line on stderr. */
int print_steps(const char *experiment, lab_case c, unsigned sets);

#endif
