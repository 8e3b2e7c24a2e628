/*
 * A text to learn (corpus.h).
 */
#include "docs/lab/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/matrix.h"
#include "common/print/outside.h"

enum { MOST = 1 << 24, LEAST_EPOCH = 100 };

int corpus_read(corpus *c, const char *path)
{
    FILE *file = fopen(path, "rb");
    int token_of[LETTERS], x;

    *c = (corpus){.token = malloc(MOST)};
    memset(token_of, -1, sizeof token_of);
    if (!file || !c->token) {
        fprintf(stderr, "%s: cannot be read\n", shown(path).text);
        if (file)
            fclose(file);
        return 1;
    }
    while (c->n < MOST && (x = getc(file)) != EOF) {
        if (token_of[x] < 0) {
            token_of[x] = (int)c->vocabulary;
            c->letter[c->vocabulary++] = (char)x;
        }
        c->token[c->n++] = (unsigned char)token_of[x];
    }
    fclose(file);
    c->learnt = c->n / 10 > BATCH ? c->n - c->n / 10 : c->n;
    c->epoch = max_size(LEAST_EPOCH, c->learnt / BATCH);
    if (c->n > TOKENS)
        return 0;
    fprintf(stderr, "%s: %zu characters (more than %d are needed)\n",
            shown(path).text, c->n, TOKENS);
    return 1;
}

/* Sequence b of a batch is the text from there on. */
static void put(const corpus *c, size_t there, size_t b, unsigned char *tokens,
                unsigned char *next)
{
    memcpy(tokens + b * TOKENS, c->token + there, TOKENS);
    memcpy(next + b * TOKENS, c->token + there + 1, TOKENS);
}

void draw_batch(const corpus *c, random_source *source, unsigned char *tokens,
                unsigned char *next)
{
    for (size_t b = 0; b < SEQUENCES; b++)
        put(c, random_below(source, c->learnt - TOKENS), b, tokens, next);
}

void even_batch(const corpus *c, size_t from, size_t to, size_t nth,
                unsigned char *tokens, unsigned char *next)
{
    size_t last = to - from - TOKENS - 1;

    for (size_t b = 0; b < SEQUENCES; b++)
        put(c, from + (nth * SEQUENCES + b) * last / (MEASURED * SEQUENCES - 1),
            b, tokens, next);
}
