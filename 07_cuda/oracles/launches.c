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
    head h = {.Nq = 1, .Nk = 1, .d = (size_t)D, .dv = (size_t)D, .scale = 1};
    struct cuda_counts c;
    memory mem;

    h.Q.hbm = matrix_of(x[0], 1, h.d);
    h.K.hbm = matrix_of(x[1], 1, h.d);
    h.V.hbm = matrix_of(x[2], 1, h.d);
    h.O.hbm = matrix_of(x[3], 1, h.d);
    h.L.hbm = matrix_of(L, 1, 1);
    memory_init(&mem, 0);
    if (rung_step(&ladder[r], BF16, &h, 1, &mem)) {
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
