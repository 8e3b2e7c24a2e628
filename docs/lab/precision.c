/*
 * The precision lab. Measures the errors of steps of chapters 01-06 against
 * float64. Prints one tab-separated table for docs/precision.md and its plots.
 * With `quick` it prints only the lines that take seconds.
 *
 *     build/docs/lab/precision [quick] > build/lab/precision.tsv
 *
 * The inputs are seeded: two runs on one machine print the same bytes.
 */
#include <stdio.h>

#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "tools/flash/attention_loss.h"
#include "06_flash2/steps.h"
#include "common/lesson/attention/problem.h"
#include "common/print/outside.h"
#include "common/print/report.h"

/* Kinds of steps; a step may have several. */
enum {
    OF_ROWS = 1,  /* softmax steps of chapters 01 to 03 */
    OF_HEADS = 2, /* attention steps */
    ROUNDING = 4, /* steps that can round to storage types */
    TILED = 8,    /* steps with a variable tile size */
    STANDARD = 16 /* standard_attention */
};

static const struct {
    unsigned kinds;
    loss_step step;
} steps[] = {
    {OF_ROWS, {.softmax = &chapter_01_steps[0]}},
    {OF_ROWS, {.softmax = &chapter_02_steps[0]}},
    {OF_ROWS, {.softmax = &chapter_03_steps[0]}},
    {OF_ROWS, {.softmax = &chapter_03_steps[1]}},
    {OF_HEADS | ROUNDING | STANDARD, {.attention = &chapter_04_steps[0]}},
    {OF_HEADS | ROUNDING, {.attention = &chapter_04_steps[1]}},
    {OF_HEADS | ROUNDING, {.attention = &chapter_04_steps[2]}},
    {OF_HEADS | ROUNDING, {.attention = &chapter_04_steps[3]}},
    {OF_HEADS | ROUNDING | TILED, {.attention = &chapter_05_steps[0]}},
    {OF_HEADS | ROUNDING | TILED, {.attention = &chapter_06_steps[0]}},
    {OF_HEADS | ROUNDING | TILED, {.attention = &chapter_06_steps[1]}},
    {OF_HEADS, {.attention = &chapter_06_steps[4]}}, /* flash2_simd */
};

enum { STEPS = sizeof steps / sizeof *steps };

/* Prints a line for each step of one of the kinds: errors on seeded data, or on
 * the heads of c.real. Returns 0, or 1 after one line on stderr. */
static int print_steps(const char *experiment, loss_case c, unsigned kinds)
{
    static const char *const order_names[] = {"any", "rising", "falling"};
    size_t problems = c.real ? heads_of(c.real) : usual_problems(c.Nq), n = 0;
    loss_step asked[STEPS];
    step_loss loss[STEPS];

    for (size_t s = 0; s < STEPS; s++)
        if (steps[s].kinds & kinds)
            asked[n++] = steps[s].step;
    progress("%s: N %zu, Bc %zu, sigma %g", experiment, c.Nk, c.Bc, c.sigma);
    if (attention_loss(&c, problems, asked, n, loss))
        return 1;
    for (size_t s = 0; s < n; s++)
        printf("%s%s\t%s\t%zu\t%zu\t%.3g\t%s\t%s\t%s\t%s\t%s\t%s\t%.3e"
               "\t%.3e\n",
               c.real ? "real, " : "", experiment,
               asked[s].softmax ? asked[s].softmax->name
                                : asked[s].attention->name,
               c.Nk, c.Bc, c.sigma, c.unscaled ? "no" : "yes",
               order_names[c.order], precision_name(c.inputs),
               precision_name(c.P), precision_name(c.stored),
               precision_name(c.O), loss[s].relative, loss[s].largest);
    return 0;
}

static const loss_case plain = {
    .Nq = 8, .Nk = 4096, .d = 64, .sigma = 1, .Bc = 64, .seed = 1};

static int by_length(size_t longest)
{
    loss_case c = plain;
    int failed = 0;

    for (c.Nk = 64; c.Nk <= longest; c.Nk *= 2)
        for (c.sigma = 1; c.sigma <= 4; c.sigma *= 4)
            failed |= print_steps("length", c, OF_ROWS | OF_HEADS);
    return failed;
}

static int by_tile(void)
{
    loss_case c = plain;
    int failed = 0;

    for (c.Bc = 1; c.Bc <= 512; c.Bc *= 2)
        failed |= print_steps("tile", c, OF_ROWS | TILED);
    return failed;
}

static int by_order(size_t longest)
{
    loss_case c = plain;
    int failed = 0;

    c.Nq = 1;
    for (c.Nk = 256; c.Nk <= longest; c.Nk *= 4)
        for (c.order = ANY_ORDER; c.order <= FALLING; c.order++)
            for (c.Bc = 1; c.Bc <= 64; c.Bc *= 64)
                failed |= print_steps("order", c, OF_ROWS | OF_HEADS);
    return failed;
}

/* Scores without the scale are sqrt(d) = 8 times as large. */
static int by_spread(void)
{
    loss_case c = plain;
    int failed = 0;

    for (double sigma = 0.25; sigma <= 16; sigma *= 2)
        for (int unscaled = 0; unscaled <= 1; unscaled++) {
            c.sigma = unscaled ? sigma * 8 : sigma;
            c.unscaled = unscaled;
            /* naive_softmax overflows on unscaled scores if c.sigma >= 32. */
            failed |= print_steps("spread", c,
                                  unscaled ? OF_HEADS : OF_ROWS | OF_HEADS);
        }
    return failed;
}

/* Prints errors with inputs rounded to the type, also S and P, or also P. */
static int by_storage(loss_case c, precision type)
{
    loss_case before = c, S;
    int failed = 0;

    before.inputs = c.inputs = type;
    before.before = true;
    failed |= print_steps("rounding", before, STANDARD);
    failed |= print_steps("inputs", c, OF_HEADS);
    S = c, S.stored = type;
    failed |= print_steps("S and P", S, STANDARD);
    c.P = S.P = type;
    failed |= print_steps("S and P", S, OF_ROWS);
    return failed | print_steps("P", c, ROUNDING);
}

/* Prints errors with inputs and P rounded, then also O, then also m and l. */
static int by_tile_storage(loss_case c, precision type)
{
    int failed = 0;

    c.inputs = c.P = type;
    if (!c.real)
        failed |= print_steps("P, tiled", c, TILED);
    c.O = type;
    failed |= print_steps("P, O", c, TILED);
    c.stored = type;
    return failed | print_steps("P, O, m, l", c, TILED);
}

static int on_random(precision type)
{
    loss_case c = plain;
    int failed = by_storage(c, type);

    for (c.Bc = 4; c.Bc <= 1024; c.Bc *= 4)
        failed |= by_tile_storage(c, type);
    /* A row in rising or falling order shows if rescales cause the error. */
    c = plain;
    c.Nq = 1;
    c.inputs = c.P = c.O = type;
    for (c.order = ANY_ORDER; c.order <= FALLING; c.order++)
        failed |= print_steps("P, O, one row", c, TILED);
    return failed;
}

static int on_real(void)
{
    problem p;
    int failed = problem_bundled(&p);
    loss_case c = {.Bc = 64, .real = &p.layer};

    if (!failed) {
        c.Nq = p.layer.each.Nq;
        c.Nk = p.layer.each.Nk;
        c.d = p.layer.each.d;
        for (precision type = BF16; type <= FP16; type++) {
            failed |= by_storage(c, type);
            failed |= by_tile_storage(c, type);
        }
    }
    problem_free(&p);
    return failed;
}

int main(int argc, char **argv)
{
    static const char *const known[] = {"quick", NULL};
    int word = word_given(argc, argv, known), failed = 0;
    bool quick = word == 0;
    size_t longest = quick ? 1024 : 32768;

    if (word < 0)
        return 2;
    puts("experiment\tstep\tN\tBc\tsigma\tscaled\torder\tinputs\tP\tstored\tO\t"
         "relative\tlargest");
    failed |= by_length(longest);
    failed |= quick ? 0 : by_tile();
    failed |= by_order(longest / 2);
    if (!quick) {
        failed |= by_spread();
        failed |= on_random(BF16);
        failed |= on_random(FP16);
    }
    failed |= on_real();
    progress_done();
    return report_end(failed);
}
