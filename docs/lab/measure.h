/*
 * What a chapter's step loses on the precision lab's problems, against float64.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "common/softmax_row.h"
#include "docs/lab/problem.h"

enum { MOST_STEPS = 32 }; /* that are measured at once */

/* Of O, over all problems and queries; of a softmax step, of its weights. */
typedef struct {
    double relative; /* ||O - reference|| / ||reference|| */
    double largest;  /* max |O - reference| / max |V|; max |y - reference| */
    double rescales; /* tiles or keys at which a row's maximum grew, a row */
} lab_error;

/*
 * Runs n steps on the same `problems` of that kind, seeded or the first heads
 * of the bundled layer. Returns 0, or 1 after one line on stderr.
 */
int lab_measure(const attention_step *const steps[], size_t n,
                const lab_case *c, size_t problems, lab_error errors[]);

/*
 * The same for softmax steps, on the rows of scores of the same problems:
 * stored as c->stored, the weights as c->P. The float64 softmax is of the
 * scores in fp32.
 */
int lab_measure_softmax(const softmax_step *const steps[], size_t n,
                        const lab_case *c, size_t problems, lab_error errors[]);

#endif
