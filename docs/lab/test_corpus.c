/*
 * What is held out of a text is never learnt, and all of it is measured.
 */
#include "docs/lab/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

/* Nine tenths a, one tenth b; a is token 0, b is token 1. */
enum { N = 1000 * BATCH, OF_A = N / 10 * 9 };
static unsigned char tokens[BATCH], next[BATCH];

static corpus text_of(size_t n, size_t of_a)
{
    static char text[N];
    corpus c;

    memset(text, 'a', of_a);
    memset(text + of_a, 'b', n - of_a);
    put_file("text", text, n);
    assert_int_equal(corpus_read(&c, "text"), 0);
    assert_int_equal(c.n, n);
    return c;
}

/* Has the batch that token alone, so far and next? */
static void assert_all(int token)
{
    for (size_t i = 0; i < BATCH; i++) {
        assert_int_equal(tokens[i], token);
        assert_int_equal(next[i], token);
    }
}

static void the_last_tenth_is_never_learnt(void **state)
{
    random_source source = random_seed(1);
    corpus c = text_of(N, OF_A);

    assert_int_equal(c.vocabulary, 2);
    assert_int_equal(c.learnt, OF_A);
    assert_int_equal(c.epoch, 900);
    for (size_t k = 0; k < 2000; k++) {
        draw_batch(&c, &source, tokens, next);
        assert_all(0);
    }
    for (size_t nth = 0; nth < MEASURED; nth++) {
        even_batch(&c, 0, c.learnt, nth, tokens, next);
        assert_all(0);
        even_batch(&c, c.learnt, c.n, nth, tokens, next);
        assert_all(1);
    }
    /* From the first token to the last; what comes next is one further on. */
    c.token[OF_A] = 2;
    c.token[N - 1] = 3;
    even_batch(&c, c.learnt, c.n, 0, tokens, next);
    assert_int_equal(tokens[0], 2);
    assert_int_equal(next[0], 1);
    even_batch(&c, c.learnt, c.n, MEASURED - 1, tokens, next);
    assert_int_equal(next[BATCH - 1], 3);
    assert_int_equal(tokens[BATCH - 1], 1);
    free(c.token);
}

/* A tenth that fills no batch is learnt, too. */
static void a_short_text_is_all_learnt(void **state)
{
    const size_t n[] = {TOKENS + 1, 1116, 10 * BATCH};

    for (size_t k = 0; k < 3; k++) {
        random_source source = random_seed(1);
        corpus c = text_of(n[k], n[k] - 1);
        const void *last = NULL;

        assert_int_equal(c.learnt, n[k]);
        assert_int_equal(c.epoch, 100);
        for (size_t draw = 0; draw < 2000 && !last; draw++) {
            draw_batch(&c, &source, tokens, next);
            last = memchr(next, 1, BATCH);
        }
        assert_non_null(last);
        free(c.token);
    }
}

static void a_text_of_one_sequence_is_refused(void **state)
{
    char text[TOKENS] = {0};
    corpus c;

    put_file("text", text, TOKENS);
    hear_stderr();
    assert_int_equal(corpus_read(&c, "text"), 1);
    assert_said_line("text", "64 characters (more than 64 are needed)");
    free(c.token);
    hear_stderr();
    assert_int_equal(corpus_read(&c, "missing"), 1);
    assert_said_line("missing", "cannot be read");
    free(c.token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(the_last_tenth_is_never_learnt),
        in_directory(a_short_text_is_all_learnt),
        in_directory(a_text_of_one_sequence_is_refused),
    };

    return run_tests("corpus", tests);
}
