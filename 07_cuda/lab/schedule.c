/*
 * Which share of the multiprocessors' time do rungs 9 to 11 use? Three ways of
 * handing out tiles of queries, and how long each multiprocessor is busy:
 *
 *   stride    head by head, and block b takes tiles b, b + 132, ..
 *   grid      head by head, and who is free takes the next
 *   longest   who is free takes the next, of the longest: as the rungs do
 *
 * A tile of queries takes as long as its tiles of keys, and one more to begin
 * and end: assumed, and nothing is measured.
 *
 *     make lab-schedule
 *
 * Lines: share, way, multiprocessors, heads, N, d, causal, percent | busy, way,
 * multiprocessor, time (of one problem).
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/print/report.h"

#include "07_cuda/rung.h"

enum { STRIDE, GRID, LONGEST_FIRST, WAYS };
enum { MOST = 256 };

static const char *const name[] = {"stride", "grid", "longest"};

/* Tiles of keys of tile number t, and one. */
static int cost(const rung_problem *p, int way, int t)
{
    int at_once = way == LONGEST_FIRST ? 0 : 1, head, i0, full;

    /* With one head at a time the rungs' order is head by head. */
    return rung_roles_work(p, t, at_once, &head, &i0, &full) + 1;
}

/* How long each multiprocessor is busy; returns the sum. */
static long hand_out(const rung_problem *p, int way, int processors,
                     long busy[MOST])
{
    int Br = rung_Br(&ladder[RUNG_roles], p->D);
    int works = (p->Nq + Br - 1) / Br * p->heads;
    long sum = 0;

    for (int b = 0; b < processors; b++)
        busy[b] = 0;
    for (int t = 0; t < works; t++) {
        int to = t % processors, c = cost(p, way, t);

        for (int b = 0; b < processors && way != STRIDE; b++)
            if (busy[b] < busy[to])
                to = b;
        busy[to] += c;
        sum += c;
    }
    return sum;
}

static void print_share(const rung_problem *p, int way, int processors)
{
    static long busy[MOST];
    long sum = hand_out(p, way, processors, busy), last = 0;

    for (int b = 0; b < processors; b++)
        last = busy[b] > last ? busy[b] : last;
    printf("share\t%s\t%d\t%d\t%d\t%d\t%d\t%.0f\n", name[way], processors,
           p->heads, p->Nq, p->D, p->offset == 0,
           100 * (double)sum / ((double)last * processors));
}

int main(void)
{
    static const int shapes[][3] = {/* heads, N, d */
                                    {64, 4096, 64},  {192, 2048, 64},
                                    {64, 4096, 128}, {16, 4096, 128},
                                    {32, 8192, 128}, {16, 16384, 128}};
    static long busy[MOST];

    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        for (int causal = 0; causal < 2; causal++) {
            rung_problem p = {.heads = shapes[k][0],
                              .group = 1,
                              .Nq = shapes[k][1],
                              .Nk = shapes[k][1],
                              .D = shapes[k][2],
                              .offset = causal ? 0 : shapes[k][1]};

            for (int way = 0; way < WAYS; way++) {
                print_share(&p, way, 132);
                hand_out(&p, way, 132, busy);
                for (int b = 0; b < 132 && k == 0 && causal; b++)
                    printf("busy\t%s\t%d\t%ld\n", name[way], b, busy[b]);
            }
        }
    return report_end(0);
}
