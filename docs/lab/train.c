/*
 * Trains the model (model.h) to write like a text, and lets it write. Its
 * attention is any forward and backward step of this book.
 *
 *     build/docs/lab/train                          the bundled paragraph
 *     build/docs/lab/train --attention flash1 --text FILE --steps 2000
 *     build/docs/lab/train --curve --steps 300 > docs/results/train.tsv
 *
 * --curve prints the loss of every tenth step with standard attention and with
 * flash2, from the same weights and on the same batches: step, loss, loss; then,
 * of a text long enough (corpus.h), both losses of what is held out.
 *
 * docs/backward.md
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/print/report.h"
#include "common/program/options.h"
#include "common/threads.h"
#include "docs/lab/model.h"

static const char *const names[] = {"standard",    "flash1", "flash2",
                                    "two_kernels", "simd",   NULL};

enum { TEXT, ATTENTION, STEPS, CURVE, OPTIONS };
enum { EPOCHS = 4, LEAST_ROWS = 100, SAMPLE = 240 };

/* --- Learning -------------------------------------------------------------- */

/* Adam: steps along a running mean of the gradient, in units of its size. */
static void learn(model *m, float *mean, float *square, size_t step)
{
    const float keep = 0.9f, keep_square = 0.99f;
    const float *gradient = (const float *)&m->gradient;
    float *weight = (float *)&m->weight;
    float rate = 3e-3f * fminf(1, (float)(step + 1) / 50);
    float full = 1 - powf(keep, (float)(step + 1));
    float full_square = 1 - powf(keep_square, (float)(step + 1));

    for (size_t e = 0; e < PARAMETERS; e++) {
        float g = gradient[e];

        mean[e] = keep * mean[e] + (1 - keep) * g;
        square[e] = keep_square * square[e] + (1 - keep_square) * g * g;
        weight[e] -=
            rate * mean[e] / full / (sqrtf(square[e] / full_square) + 1e-8f);
    }
}

/* What the model writes after the text's first letters, a letter at a time. */
static int write_sample(model *m, const corpus *c, random_source *source)
{
    unsigned char tokens[BATCH] = {0};
    size_t known = 16;

    memcpy(tokens, c->token, known);
    printf("    \"");
    for (size_t k = 0; k < known; k++)
        putchar(c->letter[tokens[k]] == '\n' ? ' ' : c->letter[tokens[k]]);
    for (size_t k = 0; k < SAMPLE; k++) {
        const float *x = m->logits + (known - 1) * c->vocabulary;
        double at, sum = 0, max;
        size_t v = 0;

        if (model_forward(m, tokens))
            return 1;
        max = (double)max_of(x, c->vocabulary);
        for (size_t w = 0; w < c->vocabulary; w++)
            sum += exp(((double)x[w] - max) / 0.7);
        at = random_uniform(source) * sum;
        for (; v + 1 < c->vocabulary; v++)
            if ((at -= exp(((double)x[v] - max) / 0.7)) < 0)
                break;
        putchar(c->letter[v] == '\n' ? ' ' : c->letter[v]);
        if (known == TOKENS)
            memmove(tokens, tokens + 1, --known);
        tokens[known++] = (unsigned char)v;
    }
    puts("\"");
    return 0;
}

/* The mean loss of batches all over tokens from .. to - 1. */
static int measure(model *m, const corpus *c, size_t from, size_t to,
                   double *loss)
{
    unsigned char tokens[BATCH], next[BATCH];

    *loss = 0;
    for (size_t nth = 0; nth < MEASURED && from < to; nth++) {
        even_batch(c, from, to, nth, tokens, next);
        if (model_forward(m, tokens))
            return 1;
        *loss += model_loss(m, next) / (double)MEASURED;
    }
    return 0;
}

/* Says how far it is, in loss and seconds, and lets the model write. */
static int tell(model *m, const corpus *c, size_t step, double seconds,
                random_source *source)
{
    double learnt, held_out;

    progress_done();
    if (measure(m, c, 0, c->learnt, &learnt) ||
        measure(m, c, c->learnt, c->n, &held_out))
        return 1;
    printf("step %zu, %s: loss %.3f", step, time_text(seconds).text, learnt);
    if (c->learnt < c->n)
        printf(", of held-out text %.3f", held_out);
    puts("");
    return write_sample(m, c, source);
}

/* Every tenth step is a row of a curve; of many, a hundredth of them. */
static size_t row_steps(size_t steps)
{
    return max_size(10, steps / LEAST_ROWS);
}

typedef struct {
    double loss, held_out;
} point;

/* Trains one model. curve: NULL, or where its rows go. Without it the training
 * is told, and what the model writes after each epoch. */
static int train(const corpus *c, const attention_pair *pair, const option *o,
                 point *curve)
{
    static model m;
    static float mean[PARAMETERS], square[PARAMETERS];
    size_t steps = o[STEPS].size, each = row_steps(steps);
    random_source source = random_seed(2);
    unsigned char tokens[BATCH], next[BATCH];
    double start = stopwatch(), last = 0;
    int failed = 0;

    model_begin(&m, c->vocabulary, pair);
    memset(mean, 0, sizeof mean);
    memset(square, 0, sizeof square);
    for (size_t k = 0; k < steps && !failed; k++) {
        draw_batch(c, &source, tokens, next);
        failed = model_forward(&m, tokens);
        last = model_loss(&m, next);
        failed |= model_backward(&m, tokens, next);
        if (curve && k % each == 0) {
            curve[k / each].loss = last;
            failed |=
                measure(&m, c, c->learnt, c->n, &curve[k / each].held_out);
        }
        learn(&m, mean, square, k);
        progress("%s: step %zu of %zu, loss %.3f", pair->name, k + 1, steps,
                 last);
        if (!curve && ((k + 1) % c->epoch == 0 || k + 1 == steps))
            failed |= tell(&m, c, k + 1, stopwatch() - start, &source);
    }
    progress_done();
    return failed;
}

static int print_curve(const corpus *c, const option *o)
{
    size_t each = row_steps(o[STEPS].size), n = (o[STEPS].size - 1) / each + 1;
    static point standard[2 * LEAST_ROWS], flash2[2 * LEAST_ROWS];
    int failed = train(c, &attention_pairs[STANDARD], o, standard) ||
                 train(c, &attention_pairs[FLASH2], o, flash2);

    for (size_t k = 0; k < n && !failed; k++) {
        printf("%zu\t%.6f\t%.6f", k * each, standard[k].loss, flash2[k].loss);
        if (c->learnt < c->n)
            printf("\t%.6f\t%.6f", standard[k].held_out, flash2[k].held_out);
        puts("");
    }
    return failed;
}

int main(int argc, char **argv)
{
    option o[OPTIONS + 1] = {
        [TEXT] = FILE_OPTION("text", "FILE", "to learn (docs/paragraph.txt)"),
        [ATTENTION] = CHOICE_OPTION("attention", "NAME", names, SIMD,
                                    "its kernels (simd); of:"),
        [STEPS] = SIZE_OPTION("steps", "n", 1, 0, "batches (4 epochs, or 400)"),
        [CURVE] = FLAG_OPTION("curve", "standard's loss beside flash2's"),
    };
    corpus c;
    int status;

    o[TEXT].file = "docs/paragraph.txt";
    if (!options_parse(o, "Trains a small language model.",
                       "build/docs/lab/train --attention flash2 --steps 100",
                       argc, argv, &status))
        return status;
    if (o[CURVE].given && o[ATTENTION].given)
        return option_refuse(&o[CURVE], "not together with --attention");
    if (corpus_read(&c, o[TEXT].file)) {
        free(c.token);
        return 1;
    }
    if (!o[STEPS].given)
        o[STEPS].size = EPOCHS * c.epoch;
    if (!o[CURVE].given)
        printf("%zu characters, %zu different; %d layers of %d heads, %d "
               "numbers a token; attention: %s\n",
               c.n, c.vocabulary, LAYERS, HEADS, C, names[o[ATTENTION].choice]);
    use_threads(1); /* a head this small is done before a second one wakes up */
    status = o[CURVE].given
                 ? print_curve(&c, o)
                 : train(&c, &attention_pairs[o[ATTENTION].choice], o, NULL);
    free(c.token);
    return report_end(status);
}
