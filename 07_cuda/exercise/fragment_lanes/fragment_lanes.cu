/* Exercise 07: fragment_lanes.h has the task. */
#include "fragment_lanes.h"

/* TODO: write the four functions. */
place a_place(int lane, int e)
{
    return {0, 0};
}

place b_place(int lane, int e)
{
    return {0, 0};
}

place c_place(int lane, int e)
{
    return {0, 0};
}

int weight_of(int e)
{
    return 0;
}
