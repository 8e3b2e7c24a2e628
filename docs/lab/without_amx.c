/*
 * Finds the part that limits flash2_amx. Measures the kernel complete, and
 * without exponentials or without products, when the result is wrong.
 *
 *     make lab-without_amx    writes a line for each d and part to build/lab
 *
 * All runs use one thread. GFLOP/s always count the products of the whole
 * kernel. This file is compiled twice: with TARGET it has the kernel, for
 * AMX if the compiler supports it; without TARGET it has the main function.
 * docs/cpu_speed.md
 */
#include "06_flash2/fast/bf16_heads.h"

enum { NOTHING, EXPONENTIALS, PRODUCTS, PARTS, ROUNDS = 15 };

extern const bf16_kernel kernel_without;
extern int without_part;

#ifdef TARGET

#include "06_flash2/fast/matrix_unit.h"
#include "common/speed/targets.h"

int without_part;

#define rough_exp2(x)    (without_part == EXPONENTIALS ? (x) : rough_exp2(x))
#define tile_dp(c, a, b) (without_part == PRODUCTS ? (void)0 : tile_dp(c, a, b))
#undef FOR_TARGET
#define FOR_TARGET(name) kernel_without
#include "06_flash2/fast/flash2_amx.c"

#else

#include <stdio.h>

#include "common/print/outside.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"

static int run(const attention_step *step, const layer *l, memory *mem)
{
    (void)step;
    return attend_in_bf16(&kernel_without, l, mem);
}

int main(void)
{
    static const char *const parts[] = {"nothing", "the exponentials",
                                        "the products"};
    static const size_t ds[] = {64, 128};
    const attention_step step = {.name = "flash2_amx", .run_layer = run};

    use_threads(1);
    puts("d\twithout\tgflops\tpercent");
    if (!bf16_instructions() || strcmp(bf16_instructions(), "amx") != 0) {
        fputs("This CPU has no AMX. docs/results/without_amx.tsv has rows.\n",
              stderr);
        return 0;
    }
    for (size_t k = 0; k < 2; k++) {
        double rate[PARTS][ROUNDS], share[PARTS][ROUNDS];
        bench_problem w;
        int failed = bench_new(&w, (bench_shape){1, 4, 2048, ds[k], false},
                               FORWARD_BF16);

        for (size_t nth = 0; nth < ROUNDS && !failed; nth++)
            for (without_part = NOTHING; without_part < PARTS; without_part++) {
                const layer *l = &w.b.forward.layer;
                double peak = bf16_peak(1);

                rate[without_part][nth] =
                    bench_flops(l) / bench_seconds(&w, &step);
                share[without_part][nth] = 100 * rate[without_part][nth] / peak;
            }
        bench_free(&w);
        if (failed)
            return 1;
        for (size_t p = 0; p < PARTS; p++)
            printf("%zu\t%s\t%.0f\t%.1f\n", ds[k], parts[p],
                   1e-9 * quantile(rate[p], ROUNDS, 0.5),
                   quantile(share[p], ROUNDS, 0.5));
    }
    return report_end(0);
}

#endif
