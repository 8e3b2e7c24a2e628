/*
 * Choosing steps, measuring them and printing lines (precision_table.h).
 */
#include "docs/lab/precision_table.h"

#include <stdio.h>

#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "docs/lab/measure.h"

static const softmax_step *const softmaxes[] = {
    &chapter_01_steps[0], &chapter_02_steps[0], &chapter_03_steps[0],
    &chapter_03_steps[1]};
static const attention_step *const chapters[] = {
    chapter_04_steps, chapter_05_steps, chapter_06_steps};

enum { SOFTMAXES = 4, CHAPTERS = 3 };

static const char *const order_names[] = {"any", "rising", "falling"};

bool told_of(const attention_step *step)
{
    static attention_fn *const told[] = {standard_attention,
                                         three_pass_attention,
                                         two_pass_attention,
                                         one_pass_attention,
                                         flash1,
                                         flash2_deferred,
                                         flash2,
                                         flash2_simd};

    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
        if (step->run == told[k])
            return true;
    return false;
}

bool with_tiles(const attention_step *step)
{
    return step->tiles && told_of(step);
}

bool with_storage(const attention_step *step)
{
    return step->formula && told_of(step);
}

bool only_standard(const attention_step *step)
{
    return step->run == standard_attention;
}

void print_heading(void)
{
    printf("experiment\tstep\tN\tBc\tsigma\tscaled\torder\tinputs\tP\tstored\t"
           "O\trelative\tlargest\trescales\n");
}

static size_t problems_of(const lab_case *c)
{
    return c->real ? heads_of(&c->real->problem) : c->Nq == 1 ? 16 : 3;
}

static void print_line(const char *experiment, const char *step,
                       const lab_case *c, lab_error e)
{
    printf("%s\t%s\t%zu\t%zu\t%.3g\t%s\t%s\t%s\t%s\t%s\t%s\t%.3e\t%.3e\t%.2f\n",
           experiment, step, c->Nk, c->Bc, c->sigma, c->unscaled ? "no" : "yes",
           order_names[c->order], precision_name(c->inputs),
           precision_name(c->P), precision_name(c->stored),
           precision_name(c->O), e.relative, e.largest, e.rescales);
}

int print_attention(const char *experiment, chosen *is_chosen, lab_case c)
{
    const attention_step *steps[MOST_STEPS];
    lab_error errors[MOST_STEPS];
    size_t n = 0;

    progress("%s: N %zu, Bc %zu, sigma %g", experiment, c.Nk, c.Bc, c.sigma);
    for (size_t i = 0; i < CHAPTERS; i++)
        for (const attention_step *s = chapters[i]; s->name; s++)
            if (is_chosen(s) && n++ < MOST_STEPS)
                steps[n - 1] = s;
    if (n > MOST_STEPS) {
        fprintf(stderr, "%s: %zu steps, and room for %d\n", experiment, n,
                MOST_STEPS);
        return 1;
    }
    if (lab_measure(steps, n, &c, problems_of(&c), errors))
        return 1;
    for (size_t i = 0; i < n; i++)
        print_line(experiment, steps[i]->name, &c, errors[i]);
    return 0;
}

int print_softmax(const char *experiment, lab_case c)
{
    lab_error errors[SOFTMAXES];

    if (lab_measure_softmax(softmaxes, SOFTMAXES, &c, problems_of(&c), errors))
        return 1;
    for (size_t i = 0; i < SOFTMAXES; i++)
        print_line(experiment, softmaxes[i]->name, &c, errors[i]);
    return 0;
}

int print_all(const char *experiment, lab_case c)
{
    int failed = print_softmax(experiment, c);

    return failed | print_attention(experiment, told_of, c);
}
