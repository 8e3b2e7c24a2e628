/* Parts of the programs of chapters 01 to 03. */
#ifndef COMMON_SOFTMAX_LESSON_H
#define COMMON_SOFTMAX_LESSON_H

#include "common/softmax_row.h"

#define WORKED 6
static const float worked_example[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};

/* Changes the bundled scores in several ways and runs the steps on them. The
 * list of steps ends with NULL. Prints the title and a table with a row for
 * each change and each step: the number of lost rows (their error is NaN or
 * infinite), the passes, and the error of the other rows. Returns an exit
 * code. */
int print_changed_scores(const char *title, const softmax_step *const steps[]);

#endif
