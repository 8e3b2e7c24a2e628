/*
 * Attention over a sentence of eight tokens, small enough to be read: the
 * scores, the weights and a value of one head of the bundled layer. The eight
 * tokens see one another and nothing of the paragraph around them.
 *
 *     make lab-sentence
 *     build/docs/lab/sentence its      one word's row, as a table
 *
 * Lines: token, nth, its text | weight, query, key, score, weight.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/problem/attention_arrays.h"
#include "common/judge/reference_attention.h"
#include "common/print/report.h"

enum { HEAD = 3, FIRST = 29, TOKENS = 8 };

typedef struct {
    char token[TOKENS][32];
    double score[TOKENS][TOKENS], weight[TOKENS][TOKENS], value[TOKENS];
} sentence;

static int read_tokens(sentence *s, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[32];

    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    for (size_t i = 0; i < FIRST + TOKENS && fgets(line, sizeof line, file);
         i++) {
        line[strcspn(line, "\n")] = '\0';
        if (i >= FIRST)
            memcpy(s->token[i - FIRST], line, sizeof line);
    }
    fclose(file);
    return 0;
}

/* Row i: e^{s - m} over its sum, as chapter 02 has it. */
static void attend(sentence *s, const head *h, size_t i)
{
    double m = (double)-INFINITY, l = 0;

    for (size_t j = 0; j < TOKENS; j++) {
        s->score[i][j] = reference_score(h, FIRST + i, FIRST + j);
        m = fmax(m, s->score[i][j]);
    }
    for (size_t j = 0; j < TOKENS; j++)
        l += exp(s->score[i][j] - m);
    for (size_t j = 0; j < TOKENS; j++)
        s->weight[i][j] = exp(s->score[i][j] - m) / l;
}

static void print_all(const sentence *s)
{
    for (size_t i = 0; i < TOKENS; i++)
        printf("token\t%zu\t%s\n", i, s->token[i]);
    for (size_t i = 0; i < TOKENS; i++)
        for (size_t j = 0; j < TOKENS; j++)
            printf("weight\t%zu\t%zu\t%.2f\t%.2f\n", i, j, s->score[i][j],
                   s->weight[i][j]);
}

static void print_row(const sentence *s, size_t i)
{
    table t = {0};
    double o = 0;

    table_row(&t, "key|score|weight|value|weight x value");
    for (size_t j = 0; j < TOKENS; j++) {
        double part = s->weight[i][j] * s->value[j];

        o += part;
        table_row(&t, "%s|%.2f|%.3f|%.2f|%.4f", s->token[j], s->score[i][j],
                  s->weight[i][j], s->value[j], part);
    }
    printf("The query \"%s\" looks at eight keys\n", s->token[i]);
    table_print(&t);
    printf("The first number of its output is the sum of the last column: "
           "%.3f\n",
           o);
}

int main(int count, char *argument[])
{
    attention_arrays a;
    sentence s = {0};
    size_t i = 0;
    int failed = arrays_bundled(&a);

    if (!failed)
        failed = read_tokens(&s, "common/data/tokens.txt");
    if (!failed) {
        head h = head_at(&a.problem, HEAD);

        for (i = 0; i < TOKENS; i++) {
            attend(&s, &h, i);
            s.value[i] = (double)*row(h.V.hbm, FIRST + i);
        }
        for (i = 0; count > 1 && i < TOKENS; i++)
            if (!strcmp(argument[1], s.token[i]))
                break;
    }
    arrays_free(&a);
    if (!failed && count > 1 && i == TOKENS) {
        fprintf(stderr,
                "sentence: %s: not a token of the sentence (the key "
                "says what its token offers .)\n",
                argument[1]);
        return 2;
    }
    if (!failed && count > 1)
        print_row(&s, i);
    else if (!failed)
        print_all(&s);
    return report_end(failed);
}
