/* Shows what sharing a tile of keys saves and costs. docs/05_flash1.md */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/lesson/attention/measure.h"

/* Returns flash1's traffic over standard's by formula, without init and L. */
static double over_standard(size_t N, size_t d, size_t M)
{
    head h = {.Nq = N, .Nk = N, .d = d, .dv = d};
    counts flash = flash1_traffic(&h, flash1_tiles(&h, M));
    counts standard = standard_traffic(&h, (tile_sizes){0, 0}); /* no tiles */

    return (double)counts_moved(flash) / (double)counts_moved(standard);
}

static void lesson(const problem *p, const measurement *standard,
                   const measurement *tiled, const measurement *flash)
{
    const layer *l = &p->layer;
    size_t d = l->each.d, columns = d + l->each.dv, M = p->M;
    size_t Tc = tiles(l->each.Nk, flash->tiles.Bc);
    /* K_V: elements of K and V, read once. visits: all other traffic, for each
     * tile of keys. Q_O: the part of visits that reads Q and writes O. */
    size_t K_V = heads_of(l) * l->each.Nk * columns;
    size_t visits = counts_moved(flash->counted) - K_V;
    size_t Q_O = heads_of(l) * l->each.Nq * Tc * columns;

    prose(
        "The %zu queries of a tile share each tile of keys. With init and L, "
        "flash1 moves %.1f%% of the elements that tiled_attention moves, and "
        "%.1f%% of those that standard_attention moves. K and V are read once: "
        "%s elements. The other %s elements are Q, O, m and l. For each of the "
        "%zu tiles of keys they are read, and O, m and l are written back. "
        "Reading Q and writing O is only %.0f%% of that.",
        flash->tiles.Br, 100 * crossed_over(flash, tiled),
        100 * crossed_over(flash, standard), count_text(K_V).text,
        count_text(visits).text, Tc, 100 * (double)Q_O / (double)visits);
    prose("flash1 does not always save traffic. For N far above d the ratio to "
          "standard_attention is about 3 d^2 / M. At N = 4096 and M = %s the "
          "whole formula gives %.2f for d = %zu, %.2f for d = 64 and %.2f for "
          "d = 128; 3 d^2 / M is %.3g, %.3g and %.3g. The time stays the same, "
          "because scalar C is compute-bound, and all steps compute the same "
          "two matrix products.",
          count_text(M).text, over_standard(4096, d, M), d,
          over_standard(4096, 64, M), over_standard(4096, 128, M),
          3 * (double)(d * d) / (double)M, 3 * 64 * 64 / (double)M,
          3 * 128 * 128 / (double)M);
    puts("");
}

/* Prints the data of the plot: traffic by N, by M and by d. */
static int csv(void)
{
    const tile_sizes none = {0, 0};
    int status = 0;

    print_plot_header();
    for (size_t N = 64; N <= 2048 && status == 0; N *= 2)
        status = print_plot_line(&standard_step, N, 32, USUAL_M, none) ||
                 print_plot_line(&tiled_step, N, 32, USUAL_M, none) ||
                 print_plot_line(flash1_step, N, 32, USUAL_M, none);
    for (size_t M = 128; M <= 65536 && status == 0; M *= 2)
        status = print_plot_line(flash1_step, 500, 32, M, none);
    for (size_t d = 8; d <= 128 && status == 0; d *= 2)
        status = print_plot_line(&standard_step, 500, d, USUAL_M, none) ||
                 print_plot_line(flash1_step, 500, d, USUAL_M, none);
    return status;
}

int main(int argc, char **argv)
{
    const char about[] = "FlashAttention: queries share a tile of keys; O is "
                         "stored in HBM between tiles.";
    measurement m[3];
    lesson_options o;
    problem p;
    int status;

    if (!options_read(&o, about, "trace csv causal n nk d seed sram step", argc,
                      argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace_flash1());
    if (o.csv)
        return report_end(csv());

    problem_of(&p, &o, standard_bytes);
    measure(&m[0], &p, &standard_step);
    measure(&m[1], &p, &tiled_step);
    measure(&m[2], &p, flash1_step);
    if (check_step_name(&p) == 0) {
        print_problem(&p.layer, p.M);
        print_measured(m, 3);
        print_error_rows(&p);
        if (o.no_options)
            lesson(&p, &m[0], &m[1], &m[2]);
        next_step("make exercise-05\n  or: ./run --trace");
    }
    problem_free(&p);
    return report_end(p.status);
}
