/*
 * The precision lab: what steps of chapters 01-06 lose against float64,
 * by length, tile size, spread of the scores, order of the keys and storage
 * type, on random and on real inputs. Prints one tab-separated table, which
 * docs/precision.md and its plots read; quick: those of its lines that take
 * seconds.
 *
 *     build/docs/lab/precision [quick] > build/lab/precision.tsv
 *
 * Seeded: two runs on one machine print the same bytes.
 */
#include <stdio.h>
#include <string.h>

#include "common/print/outside.h"
#include "common/print/report.h"
#include "docs/lab/precision_table.h"

static lab_case plain = {.Nq = 8, .Nk = 4096, .d = 64, .sigma = 1, .Bc = 64};

static int by_length(size_t longest)
{
    int failed = 0;

    for (size_t N = 64; N <= longest; N *= 2)
        for (double sigma = 1; sigma <= 4; sigma *= 4) {
            lab_case c = plain;

            c.Nk = N;
            c.sigma = sigma;
            failed |= print_all("length", c);
        }
    return failed;
}

static int by_tile(void)
{
    int failed = 0;

    for (size_t Bc = 1; Bc <= 512; Bc *= 2) {
        lab_case c = plain;

        c.Bc = Bc;
        failed |= print_softmax("tile", c);
        failed |= print_attention("tile", with_tiles, c);
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
                failed |= print_all("order", c);
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
            /* without the scale naive_softmax has no digits left */
            failed |= unscaled ? print_attention("spread", told_of, c)
                               : print_all("spread", c);
        }
    return failed;
}

/* Where the narrow type stands: one place more in each line. */
static int by_storage(precision type)
{
    lab_case inputs = plain, before, weights, output, state, S;
    int failed = 0;

    inputs.inputs = type;
    before = inputs, before.before = true;
    weights = inputs, weights.P = type;
    output = weights, output.O = type;
    state = output, state.stored = type;
    S = inputs, S.stored = type;

    failed |= print_attention("rounding", only_standard, before);
    failed |= print_attention("inputs", told_of, inputs);
    failed |= print_attention("S and P", only_standard, S);
    S.P = type;
    failed |= print_softmax("S and P", S);
    failed |= print_attention("P", with_storage, weights);
    for (size_t Bc = 4; Bc <= 1024; Bc *= 4) {
        weights.Bc = output.Bc = state.Bc = Bc;
        failed |= print_attention("P, tiled", with_tiles, weights);
        failed |= print_attention("P, O", with_tiles, output);
        failed |= print_attention("P, O, m, l", with_tiles, state);
    }
    /* Without a single rescale: is being online what costs? */
    output.Nq = 1;
    output.Bc = 64;
    for (output.order = ANY_ORDER; output.order <= FALLING; output.order++)
        failed |= print_attention("P, O, one row", with_tiles, output);
    return failed;
}

/* The same on real heads. */
static int by_real_storage(lab_case plain_real, precision type)
{
    lab_case low = plain_real, S;
    int failed = 0;

    low.inputs = type;
    failed |= print_attention("real, inputs", told_of, low);
    low.before = true;
    failed |= print_attention("real, rounding", only_standard, low);
    low.before = false;
    S = low, S.stored = type;
    failed |= print_attention("real, S and P", only_standard, S);
    low.P = S.P = type;
    failed |= print_softmax("real, S and P", S);
    failed |= print_attention("real, P", with_storage, low);
    low.O = type;
    failed |= print_attention("real, P, O", with_tiles, low);
    low.stored = type;
    failed |= print_attention("real, P, O, m, l", with_tiles, low);
    return failed;
}

/* The bundled layer: all heads, all queries. */
static int on_real(void)
{
    attention_arrays a;
    int failed = arrays_bundled(&a);
    lab_case c = {.Bc = 64, .real = &a};

    if (!failed) {
        c.Nq = a.problem.each.Nq;
        c.Nk = a.problem.each.Nk;
        c.d = a.problem.each.d;
        c.unscaled = true;
        c.sigma = problem_spread(&a.problem, true);
        failed |= print_attention("real", told_of, c);
        c.unscaled = false;
        c.sigma = problem_spread(&a.problem, false);
        failed |= print_all("real", c);
        failed |= by_real_storage(c, BF16);
        failed |= by_real_storage(c, FP16);
    }
    arrays_free(&a);
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
    print_heading();
    failed |= by_length(longest);
    failed |= quick ? 0 : by_tile();
    failed |= by_order(longest / 2);
    failed |= quick ? 0 : by_spread() | by_storage(BF16) | by_storage(FP16);
    failed |= on_real();
    progress_done();
    return report_end(failed);
}
