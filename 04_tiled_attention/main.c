/* Measures the five steps of chapter 04. docs/04_tiled_attention.md */
#include "04_tiled_attention/steps.h"
#include "common/lesson/attention/measure.h"

enum {
    STANDARD,
    THREE_PASS,
    TWO_PASS,
    ONE_PASS,
    TILED,
    STEPS = sizeof chapter_04_steps / sizeof chapter_04_steps[0] - 1
};

static double over_standard(const measurement m[], size_t k)
{
    return (double)counts_moved(m[k].counted) /
           (double)counts_moved(m[STANDARD].counted);
}

static void lesson(const problem *p, const measurement m[])
{
    prose("standard_attention stores S: %s elements per head in addition to "
          "inputs and outputs. The other steps do not store S. But every query "
          "then reads all of K and V again. Compared with standard_attention, "
          "three passes move %.1f times the elements, two passes %.1f times, "
          "one pass %.1f times.",
          count_text(m[STANDARD].extra).text, over_standard(m, THREE_PASS),
          over_standard(m, TWO_PASS), over_standard(m, ONE_PASS));
    prose("Tiles of %zu keys do not reduce the traffic. But tiled_attention "
          "rescales o once per tile, not once per key, with %s "
          "multiplications and not %s. So tiled_attention takes about the time "
          "of standard_attention, with %.1f times its traffic. Scalar C is "
          "compute-bound; on a GPU the traffic determines the time.",
          min_size(m[TILED].tiles.Bc, p->layer.each.Nk),
          count_text(m[TILED].counted.rescales).text,
          count_text(m[ONE_PASS].counted.rescales).text,
          over_standard(m, TILED));
    puts("");
}

/* Prints the data of the plot. */
static int csv(void)
{
    int status = 0;

    print_plot_header();
    for (size_t N = 64; N <= 2048; N *= 2)
        for (size_t k = 0; k < STEPS && status == 0; k++)
            status = print_plot_line(&chapter_04_steps[k], N, 32, USUAL_M,
                                     (tile_sizes){0, 0});
    return status;
}

int main(int argc, char **argv)
{
    const char about[] =
        "Attention, from S stored in HBM to a tile of keys at a time.";
    measurement m[STEPS];
    lesson_options o;
    problem p;
    int status;

    if (!options_read(&o, about, "trace csv causal n nk d seed sram step", argc,
                      argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace_tiled_attention());
    if (o.csv)
        return report_end(csv());

    problem_of(&p, &o, standard_bytes);
    for (size_t k = 0; k < STEPS; k++)
        measure(&m[k], &p, &chapter_04_steps[k]);
    if (check_step_name(&p) == 0) {
        print_problem(&p.layer, p.M);
        print_measured(m, STEPS);
        print_error_rows(&p);
        if (o.no_options)
            lesson(&p, m);
        next_step("make exercise-04\n  or: ./run --trace");
    }
    problem_free(&p);
    return report_end(p.status);
}
