/*
 * Finds the part that limits flash2_simd. Measures the kernel's FLOP/s as a
 * percentage of the peak: complete, and with one part left out. Without the
 * exponentials or the transposes the result is wrong.
 *
 *     make lab-without    writes a line for each shape and part to build/lab
 *
 * All runs use one thread.
 * docs/cpu_speed.md
 */
#include "06_flash2/fast/simd.h"
#include "common/print/outside.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"

static const char *const parts[] = {"nothing", "the exponentials",
                                    "transposing Q and O", "prefetching"};

enum { NOTHING, EXPONENTIALS, TRANSPOSING, PREFETCHING, PARTS, ROUNDS = 15 };

static int without;

/* Replaces the exponentials by max(s, 0), which is finite even for s = -inf. */
INLINE void no_exponentials(size_t n, vf s[])
{
    EACH (x, 0, n)
        s[x] = larger(all_lanes(0), s[x]);
}

#define exp_over(n, s, m)                                                      \
    (without == EXPONENTIALS ? no_exponentials(n, s) : exp_over(n, s, m))
#define transpose(x)      (without == TRANSPOSING ? (void)0 : transpose(x))
#define prefetch(a, i, n) (without == PREFETCHING ? (void)0 : prefetch(a, i, n))
#undef FOR_TARGET
#define FOR_TARGET(name) name##_without
#include "06_flash2/fast/flash2_simd.c"

/* Returns true even if the result is wrong: after false the caller would
 * compute the block again with flash2. */
static bool attend(const head *h, const head *next, float *tile)
{
    attend_block(h, next, tile);
    return true;
}

static int run(const attention_step *step, const layer *l, memory *mem)
{
    const block_kernel kernel = {attend, QUERIES, KEYS};

    (void)step;
    return attend_blocks(&kernel, l, mem);
}

int main(void)
{
    static const bench_shape shapes[] = {
        {16, 12, 64, 64, true},  {1, 12, 64, 64, true},
        {16, 12, 256, 64, true}, {1, 2, 256, 64, true},
        {16, 12, 64, 64, false}, {1, 8, 1024, 64, false},
    };
    const attention_step step = {.name = "flash2_simd", .run_layer = run};

    use_threads(1);
    puts("B\tH\tN\td\tcausal\twithout\tpercent");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        double share[PARTS][ROUNDS];
        bench_shape s = shapes[k];
        bench_problem w;
        int failed = bench_new(&w, s, FORWARD);

        for (size_t nth = 0; nth < ROUNDS && !failed; nth++)
            for (without = NOTHING; without < PARTS; without++) {
                const layer *l = &w.b.forward.layer;
                double peak = peak_flops(thread_count());

                share[without][nth] =
                    100 * bench_flops(l) / bench_seconds(&w, &step) / peak;
            }
        bench_free(&w);
        if (failed)
            return 1;
        for (size_t p = 0; p < PARTS; p++)
            printf("%zu\t%zu\t%zu\t%zu\t%d\t%s\t%.1f\n", s.B, s.H, s.N, s.d,
                   s.causal, parts[p], quantile(share[p], ROUNDS, 0.5));
    }
    return report_end(0);
}
