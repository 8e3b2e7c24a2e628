/*
 * The precision lab: what a step loses against float64, by length, tile size,
 * spread of the scores, order of the keys and storage type. Prints one
 * tab-separated table, which docs/precision.md and its plots read.
 *
 *     build/docs/lab/precision [quick] > build/lab/precision.tsv
 *
 * Seeded: two runs on one machine print the same bytes.
 */
#include <stdio.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/report.h"
#include "docs/lab/problem.h"

static const lab_case plain = {
    .Nq = 8, .Nk = 4096, .d = 64, .sigma = 1, .Bc = 64};

static const char *const order_names[] = {"any", "rising", "falling"};

/* One line of the table. */
static int measure(const char *experiment, const attention_step *step,
                   lab_case c)
{
    lab_error e;
    size_t trials = c.Nq == 1 ? 16 : 3;

    progress("%s: %s, N %zu, Bc %zu, sigma %g", experiment, step->name, c.Nk,
             c.Bc, c.sigma);
    if (lab_measure(step, &c, trials, 1, &e))
        return 1;
    printf("%s\t%s\t%zu\t%zu\t%g\t%s\t%s\t%s\t%s\t%s\t%s\t%.3e\t%.3e\t%.2f\n",
           experiment, step->name, c.Nk, c.Bc, c.sigma,
           c.unscaled ? "no" : "yes", order_names[c.order],
           precision_name(c.inputs), precision_name(c.P),
           precision_name(c.stored), precision_name(c.O), e.relative, e.largest,
           e.rescales);
    return 0;
}

/* The steps that a finding compares; all of them round differently. */
static int measure_steps(const char *experiment, lab_case c)
{
    static const attention_step *const chapters[] = {
        chapter_04_steps, chapter_05_steps, chapter_06_steps};
    int failed = 0;

    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        for (const attention_step *s = chapters[i]; s->name; s++)
            if (s->formula && s->run != flash2_parallel) /* = flash2 */
                failed |= measure(experiment, s, c);
    return failed;
}

static const attention_step *find(const attention_step *steps, const char *name)
{
    while (strcmp(steps->name, name) != 0)
        steps++;
    return steps;
}

static int by_length(size_t longest)
{
    int failed = 0;

    for (size_t N = 64; N <= longest; N *= 2)
        for (double sigma = 1; sigma <= 4; sigma *= 4) {
            lab_case c = plain;

            c.Nk = N;
            c.sigma = sigma;
            failed |= measure_steps("length", c);
        }
    return failed;
}

static int by_tile(void)
{
    int failed = 0;

    for (size_t Bc = 1; Bc <= 512; Bc *= 2) {
        lab_case c = plain;

        c.Bc = Bc;
        failed |= measure("tile", find(chapter_04_steps, "tiled_attention"), c);
        failed |= measure("tile", find(chapter_05_steps, "flash1"), c);
        failed |= measure("tile", find(chapter_06_steps, "flash2"), c);
    }
    return failed;
}

static int by_order(size_t longest)
{
    int failed = 0;

    for (size_t N = 256; N <= longest; N *= 4)
        for (key_order order = ANY_ORDER; order <= FALLING; order++)
            for (size_t Bc = 1; Bc <= 64; Bc *= 64) {
                lab_case c = plain;

                c.Nq = 1;
                c.Nk = N;
                c.order = order;
                c.Bc = Bc;
                failed |= measure_steps("order", c);
            }
    return failed;
}

/* Scaled, and without the scale: scores of sigma sqrt(d). */
static int by_spread(void)
{
    int failed = 0;

    for (double sigma = 0.25; sigma <= 16; sigma *= 2)
        for (int unscaled = 0; unscaled <= 1; unscaled++) {
            lab_case c = plain;

            c.sigma = unscaled ? sigma * 8 : sigma;
            c.unscaled = unscaled;
            failed |= measure_steps("spread", c);
        }
    return failed;
}

/* Where the narrow type stands: one place more in each line. */
static int by_storage(precision type)
{
    const attention_step *standard =
        find(chapter_04_steps, "standard_attention");
    const attention_step *flash1 = find(chapter_05_steps, "flash1");
    const attention_step *flash2 = find(chapter_06_steps, "flash2");
    lab_case inputs = plain, weights, output, state, S;
    int failed = 0;

    inputs.inputs = type;
    weights = inputs, weights.P = type;
    output = weights, output.O = type;
    state = output, state.stored = type;
    S = inputs, S.stored = type;

    failed |= measure("inputs", standard, inputs);
    failed |= measure("S and P", standard, S);
    for (size_t Bc = 16; Bc <= 256; Bc *= 4) {
        inputs.Bc = weights.Bc = output.Bc = state.Bc = Bc;
        failed |= measure("inputs", flash1, inputs);
        failed |= measure("P", flash1, weights);
        failed |= measure("P, O", flash1, output);
        failed |= measure("P, O, m, l", flash1, state);
        failed |= measure("inputs", flash2, inputs);
        failed |= measure("P", flash2, weights);
        failed |= measure("P, O", flash2, output);
    }
    /* Without a single rescale: is being online what costs? */
    output.Nq = 1;
    output.Bc = 64;
    for (output.order = ANY_ORDER; output.order <= FALLING; output.order++)
        failed |= measure("P, O", flash1, output);
    return failed;
}

int main(int argc, char **argv)
{
    size_t longest = argc > 1 && strcmp(argv[1], "quick") == 0 ? 1024 : 32768;
    int failed;

    printf("experiment\tstep\tN\tBc\tsigma\tscaled\torder\tinputs\tP\tstored\t"
           "O\trelative\tlargest\trescales\n");
    failed = by_length(longest) | by_tile() | by_order(longest / 2) |
             by_spread() | by_storage(BF16) | by_storage(FP16);
    progress_done();
    return report_end(failed);
}
