/* The program of chapter 06. docs/06_flash2.md */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/lesson/attention/measure.h"

/* The measured steps: standard_attention, flash1, then chapter_06_steps. */
enum {
    STANDARD,
    FLASH1,
    DEFERRED,
    FLASH2,
    PARALLEL,
    LANES,
    SIMD,
    SPLIT_KV,
    STEPS = DEFERRED + sizeof chapter_06_steps / sizeof chapter_06_steps[0] - 1
};

static size_t non_matmul(const measurement *m)
{
    return m->counted.exps + m->counted.rescales + m->counted.divisions;
}

static void lesson(const measurement m[])
{
    prose("flash1 divides at every tile, flash2_deferred divides once. Outside "
          "the matrix products, flash1 has %s operations, and flash2_deferred "
          "has %s. With the loops swapped, O, m and l stay on chip. With init "
          "and L, flash2 moves %.1f%% of the elements of flash1, and %.1f%% of "
          "those of standard_attention. (The tiles of flash2 have fewer keys, "
          "so it rescales more often.)",
          count_text(non_matmul(&m[FLASH1])).text,
          count_text(non_matmul(&m[DEFERRED])).text,
          100 * crossed_over(&m[FLASH2], &m[FLASH1]),
          100 * crossed_over(&m[FLASH2], &m[STANDARD]));
    prose("Scalar C is compute-bound, so the saved traffic does not show in "
          "the time. But the outer loop is now over tiles of queries, which "
          "are independent. flash2_parallel computes them on all cores, with "
          "the same bits. flash2_lanes and flash2_simd compute one query in "
          "each lane of a vector. split_kv is for few queries: it splits the "
          "keys. Here it moves %.1f times as many elements as flash2.",
          crossed_over(&m[SPLIT_KV], &m[FLASH2]));
    puts("");
}

/* Prints the data of the plots: traffic by N, and by tile sizes of 128 rows in
 * total. */
static int csv(void)
{
    const tile_sizes none = {0, 0};
    int status = 0;

    print_plot_header();
    for (size_t N = 64; N <= 2048 && status == 0; N *= 2)
        status = print_plot_line(&standard_step, N, 32, USUAL_M, none) ||
                 print_plot_line(flash1_step, N, 32, USUAL_M, none) ||
                 print_plot_line(flash2_step, N, 32, USUAL_M, none);
    for (size_t Br = 8; Br < 128 && status == 0; Br += 8) {
        tile_sizes t = {Br, 128 - Br};

        status = print_plot_line(flash1_step, 500, 64, 16384, t) ||
                 print_plot_line(flash2_step, 500, 64, 16384, t);
    }
    return status;
}

int main(int argc, char **argv)
{
    const char about[] =
        "FlashAttention-2: divide once, swap the loops, use all cores.";
    measurement m[STEPS];
    lesson_options o;
    problem p;
    int status;

    if (!options_read(&o, about, "trace csv causal n nk d seed sram step", argc,
                      argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace_flash2());
    if (o.csv)
        return report_end(csv());

    problem_of(&p, &o, standard_bytes);
    measure(&m[STANDARD], &p, &standard_step);
    measure(&m[FLASH1], &p, flash1_step);
    for (size_t k = DEFERRED; k < STEPS; k++)
        measure(&m[k], &p, &chapter_06_steps[k - DEFERRED]);
    if (check_step_name(&p) == 0) {
        print_problem(&p.layer, p.M);
        print_measured(m, STEPS);
        print_error_rows(&p);
        if (o.no_options)
            lesson(m);
        next_step("make exercise-06\n  or: ./run --trace");
    }
    problem_free(&p);
    return report_end(p.status);
}
