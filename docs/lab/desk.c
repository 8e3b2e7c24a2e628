/*
 * Who is on the desk, visit by visit: four queries and four keys in tiles of
 * two, as flash1 and flash2 load and store them.
 *
 *     make lab-desk
 *
 * Lines: visit, kernel, nth, i, j (tiles), what it read, what it wrote.
 */
#include <stdio.h>

#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "common/lesson/toy.h"

static int follow(const char *name, attention_fn *kernel)
{
    visits v;
    toy t;
    int error;

    toy_fill(&t);
    error = visits_of(&v, &t, kernel);
    if (error)
        fprintf(stderr, "desk: %s: failed\n", name);
    for (size_t k = 0; !error && k < v.n; k++)
        if (v.visit[k].pair)
            printf("visit\t%s\t%zu\t%zu\t%zu\t%s\t%s\n", name, k + 1,
                   v.visit[k].i, v.visit[k].j, v.visit[k].read,
                   *v.visit[k].wrote ? v.visit[k].wrote : "nothing");
    return error;
}

int main(void)
{
    int failed = follow("flash1", flash1);

    failed |= follow("flash2", flash2);
    return report_end(failed);
}
