/*
 * What a block of each rung asks for: threads, and dynamic shared memory, as
 * the emulator saw it launched. What it has besides, static shared memory and
 * registers, ptxas says (sass_check.sh).
 *
 * Lines: rung's file, name, D, threads, bytes.
 */
#include "common/print/report.h"

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/steps.h"

static const char *const number[RUNGS] = {"1",  "2",  "3",  "4", "5a",
                                          "5b", "6a", "6b", "7", "8",
                                          "9",  "10", "11", "12"};

/* One query, one key. */
static int launch(int r, int D)
{
    static float x[4][256], L[1];
    layer l = {
        .B = 1,
        .Hq = 1,
        .Hk = 1,
        .each = {
            .Nq = 1, .Nk = 1, .d = (size_t)D, .dv = (size_t)D, .scale = 1}};
    struct cuda_counts c;
    memory mem;

    layer_give(&l, x[0], x[1], x[2], x[3], L);
    memory_init(&mem, 0);
    if (rung_layer(&ladder[r], rung_type(&ladder[r], BF16), &l, &mem)) {
        fprintf(stderr, "launches: %s: %s\n", ladder[r].name, mem.message);
        return 1;
    }
    c = cuda_on_cpu_counts();
    printf("%s\t%s\t%d\t%zu\t%zu\n", number[r], ladder[r].name, D,
           (size_t)c.most_threads, (size_t)c.most_shared);
    return 0;
}

int main(void)
{
    int failed = 0;

    for (int r = 0; r < RUNGS && !failed; r++)
        for (int k = 0; k < HEAD_SIZES && !failed; k++)
            if (ladder[r].Br[k] > 0)
                failed = launch(r, head_size[k]);
    return report_end(failed);
}
