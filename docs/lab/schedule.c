/*
 * Prints the share of time in which the 132 multiprocessors of an H100 compute,
 * in rungs 9 to 11 with a causal limit, as a Markdown table. There are three
 * schedules of tiles of queries:
 *
 *   stride    Tiles are ordered by head. Block b takes tiles b, b + 132, ..
 *   grid      Tiles are ordered by head. A free block takes the next tile.
 *   longest   Like grid, but the longest tiles of the heads in L2 are first.
 *
 * The times are a model, not measured. A tile of queries takes one unit of time
 * for each of its tiles of keys, and one unit for its start and end.
 */
#include <stdio.h>

#include "common/print/report.h"

#include "07_cuda/rung.h"

enum { STRIDE, GRID, LONGEST_FIRST, WAYS, PROCESSORS = 132 };

static double share_used(const rung_problem *p, int way)
{
    int Br = rung_Br(&ladder[RUNG_roles], p->D), head, i0, full;
    int works = (p->Nq + Br - 1) / Br * p->heads;
    long busy[PROCESSORS] = {0}, sum = 0, last = 0;

    for (int t = 0; t < works; t++) {
        /* If heads_in_L2 is 1, rung_roles_work orders tiles by head. */
        int at_once = way == LONGEST_FIRST ? 0 : 1, to = t % PROCESSORS;
        int cost = rung_roles_work(p, t, at_once, &head, &i0, &full) + 1;

        for (int b = 0; b < PROCESSORS && way != STRIDE; b++)
            if (busy[b] < busy[to])
                to = b;
        busy[to] += cost;
        sum += cost;
        last = busy[to] > last ? busy[to] : last;
    }
    return 100 * (double)sum / (double)(last * PROCESSORS);
}

int main(void)
{
    static const int shapes[][3] = {/* heads, N, d */
                                    {64, 4096, 64},  {192, 2048, 64},
                                    {64, 4096, 128}, {16, 4096, 128},
                                    {32, 8192, 128}, {16, 16384, 128}};

    puts("| heads, N, d | every 132nd | to a free one | longest first |\n"
         "|---|--:|--:|--:|");
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const int *of = shapes[k];
        rung_problem p = {
            .heads = of[0], .group = 1, .Nq = of[1], .Nk = of[1], .D = of[2]};

        printf("| %d, %d, %d |", of[0], of[1], of[2]);
        for (int way = 0; way < WAYS; way++)
            printf(" %.0f%% |", share_used(&p, way));
        puts("");
    }
    return report_end(0);
}
