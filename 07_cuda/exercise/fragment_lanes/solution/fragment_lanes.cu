/*
 * With g = lane / 4 and t = lane % 4, a lane has columns 2t and 2t + 1 of rows g
 * and g + 8 of C, and of both halves of A. In B rows and columns are exchanged.
 * A's registers go down first: rows g and g + 8 of columns 0 to 7, then of 8 to
 * 15. So do the scores: each C has rows g and g + 8 of 8 keys.
 */
#include "fragment_lanes.h"

place a_place(int lane, int e)
{
    int g = lane / 4, t = lane % 4;

    return {g + 8 * (e / 2 % 2), 2 * t + e % 2 + 8 * (e / 4)};
}

place b_place(int lane, int e)
{
    int g = lane / 4, t = lane % 4;

    return {2 * t + e % 2 + 8 * (e / 2), g};
}

place c_place(int lane, int e)
{
    int g = lane / 4, t = lane % 4;

    return {g + 8 * (e / 2), 2 * t + e % 2};
}

int weight_of(int e)
{
    return e;
}
