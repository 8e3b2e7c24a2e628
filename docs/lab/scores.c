/*
 * Prints scores and weights of the bundled layer, and how many rows overflow
 * (pictures.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/judge/reference_attention.h"
#include "common/lesson/bundled.h"
#include "common/lesson/softmax/formats.h"
#include "common/print/outside.h"
#include "docs/lab/pictures.h"

#define TOKENS "common/data/tokens.txt"

enum { SENTENCE_HEAD = 3, FIRST = 29, WORDS = 8 };

static int read_tokens(char token[WORDS][32])
{
    FILE *file = fopen(TOKENS, "r");
    char word[32];

    for (size_t i = 0;
         file && i < FIRST + WORDS && fscanf(file, "%31s", word) == 1; i++)
        if (i >= FIRST)
            memcpy(token[i - FIRST], word, sizeof word);
    if (!file)
        return fprintf(stderr, TOKENS ": cannot be read\n"), 1;
    fclose(file);
    return 0;
}

static double weight(const head *h, const double *L, size_t i, size_t j)
{
    return exp(reference_score(h, i, j) - L[i]);
}

static void print_query(const head *h, const double *L, char token[][32],
                        size_t i)
{
    table t = {0};
    double o = 0;

    table_row(&t, "key|score|weight|value|weight x value");
    for (size_t j = 0; j < WORDS; j++) {
        double value = (double)*row(h->V.hbm, j), p = weight(h, L, i, j);

        o += p * value;
        table_row(&t, "%s|%.2f|%.3f|%.2f|%.4f", token[j],
                  reference_score(h, i, j), p, value, p * value);
    }
    printf("The query \"%s\" attends to eight keys\n", token[i]);
    table_print(&t);
    printf("The first number of its output is the sum of the last column: "
           "%.3f\n",
           o);
}

/* Prints the weights among eight tokens, without the other keys of the text. A
 * line is: token, number, text; or: weight, query, key, score, weight. If word
 * is not NULL, prints a table for the query of that word instead. */
int print_sentence(const layer *bundled, const char *word)
{
    static char token[WORDS][32];
    static double O[WORDS * 64], L[WORDS];
    head whole = head_at(bundled, SENTENCE_HEAD);
    span some = span_of(FIRST, WORDS);
    head h = head_of_queries(&whole, some);
    size_t i = 0;

    h.Nk = WORDS;
    h.K = rows_of(h.K, some);
    h.V = rows_of(h.V, some);
    if (read_tokens(token) || reference_attention(&h, O, L))
        return 1;
    while (word && i < WORDS && strcmp(word, token[i]) != 0)
        i++;
    if (i == WORDS) {
        fprintf(stderr,
                "sentence: %s: not a token; allowed: the key says what its "
                "token offers .\n",
                shown(word).text);
        return 2;
    }
    if (word)
        return print_query(&h, L, token, i), 0;
    for (i = 0; i < WORDS; i++)
        printf("token\t%zu\t%s\n", i, token[i]);
    for (i = 0; i < WORDS; i++)
        for (size_t j = 0; j < WORDS; j++)
            printf("weight\t%zu\t%zu\t%.2f\t%.2f\n", i, j,
                   reference_score(&h, i, j), weight(&h, L, i, j));
    return 0;
}

/* True if the softmax of factor * s in the format f has a NaN or infinity. */
static bool is_lost(softmax_in *softmax, const float_format *f, const float *s,
                    size_t n, double factor)
{
    static double x[MOST_SCORES], y[MOST_SCORES];

    for (size_t j = 0; j < n; j++)
        x[j] = round_in(f, factor * (double)s[j]); /* may be infinite */
    softmax(f, x, y, n);
    for (size_t j = 0; j < n; j++)
        if (!isfinite(y[j]))
            return true;
    return false;
}

/* Prints a table in Markdown: the number of the layer's rows whose softmax has
 * a NaN or an infinity. The softmax is computed and stored in fp16 or fp32. The
 * scores are multiplied by a factor; 5.657 = sqrt(32) cancels the scale. */
int print_overflow(const layer *bundled, const char *word)
{
    static const struct {
        softmax_in *softmax;
        size_t format; /* index in formats[]: 0 is fp16, 1 is fp32 */
    } steps[] = {
        {naive_softmax_in, 0}, {naive_softmax_in, 1}, {safe_softmax_in, 0}};
    static const double factors[] = {0.25, 1,    4,    5.657, 16,
                                     256,  4096, 8192, 16384};
    npy_array scores;

    (void)bundled;
    (void)word;
    if (bundled_scores(&scores))
        return 1;
    puts("| scores times | naive_softmax, fp16 | naive_softmax, fp32 | "
         "safe_softmax, fp16 |\n|---|--:|--:|--:|");
    for (size_t e = 0; e < sizeof factors / sizeof *factors; e++) {
        double factor = factors[e];
        size_t n = scores.shape[3], rows = scores.size / n;

        progress("factor %g", factor);
        printf("| %g |", factor);
        for (size_t k = 0; k < 3; k++) {
            const float_format *f = &formats[steps[k].format];
            size_t lost = 0;

            for (size_t i = 0; i < rows; i++)
                lost += is_lost(steps[k].softmax, f, scores.data + i * n, n,
                                factor);
            printf(" %zu |", lost);
        }
        puts("");
    }
    progress_done();
    npy_free(&scores);
    return 0;
}
