/*
 * The row that the softmax chapters follow by hand: two blocks of three.
 */
#ifndef COMMON_WORKED_EXAMPLE_H
#define COMMON_WORKED_EXAMPLE_H

#define WORKED 6

static const float worked_example[WORKED] = {0.1f, 0.5f, 0.4f,
                                             0.2f, 0.3f, 0.3f};

#endif
