/* The list of cards (card.h). */
#include "07_cuda/host/card.h"

#include <stdio.h>

const card cards[] = {
    {"T4", 75, 64},    {"RTX 30", 86, 99}, {"RTX 40", 89, 99},
    {"A100", 80, 163}, {"H100", 90, 227},  {0},
};

bool card_runs(const card *c, const demand *n, int D, char why[REASON])
{
    int KiB = rows_for(n->KiB, D);

    if (n->capability == HOPPER ? c->capability != HOPPER
                                : c->capability < n->capability) {
        snprintf(why, REASON, "needs compute capability %d.%d%s",
                 n->capability / 10, n->capability % 10,
                 n->capability == HOPPER ? "" : " or later");
        return false;
    }
    snprintf(why, REASON, "needs %d KiB of shared memory, this card has %d",
             KiB, c->KiB);
    return KiB <= c->KiB;
}
