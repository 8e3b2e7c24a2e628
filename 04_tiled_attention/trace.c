/* Traces two kernels on the toy problem. docs/04_tiled_attention.md */
#include "04_tiled_attention/steps.h"

#include "common/print/report.h"
#include "common/scores.h"
#include "common/lesson/attention/toy.h"

static float *standard(const toy *t, memory *mem, float *O)
{
    const head *h = &t->head;
    table lines = {0};

    table_row(&lines, "query|S = Q K^T|m|l|P = softmax(S)|o = P V");
    for (size_t i = 0; i < TOY_N; i++) {
        float S[TOY_N], P[TOY_N], m, l, *o = O + i * TOY_D;
        matrix s = matrix_of(S, 1, TOY_N), q = rows_of(h->Q, one(i)).hbm;

        scores(h, mem, &s, q, h->K.hbm, one(i), all(TOY_N));
        m = max_of(S, TOY_N);
        for (size_t j = 0; j < TOY_N; j++)
            P[j] = S[j];
        l = exponentiate(mem, h, P, TOY_N, m);
        normalise(mem, P, l, TOY_N);
        fill(matrix_of(o, 1, TOY_D), 0);
        add_weighted(o, P, h->V.hbm);
        table_row(&lines, "%zu|%s|%s|%s|%s|%s", i, numbers_text(S, 4).text,
                  numbers_text(&m, 1).text, numbers_text(&l, 1).text,
                  numbers_text(P, 4).text, numbers_text(o, 2).text);
    }
    table_print(&lines);
    return O;
}

static float *tiled(const toy *t, float *O)
{
    table lines = {0};

    table_row(&lines, "query|keys|s|m~|l~|m|alpha|beta|l|o");
    for (size_t i = 0; i < TOY_N; i++) {
        float m = -INFINITY, l = 0, *o = O + i * TOY_D;

        fill(matrix_of(o, 1, TOY_D), 0);
        for (size_t j0 = 0; j0 < TOY_N; j0 += TOY_TILE) {
            toy_tile tile = toy_join(t, i, j0, &m, &l, o);

            table_row(&lines, "%zu|%zu %zu|%s|%s|%s|%s|%s|%s|%s|%s", i, j0,
                      j0 + 1, numbers_text(tile.s, 2).text,
                      numbers_text(&tile.m, 1).text,
                      numbers_text(&tile.l, 1).text, numbers_text(&m, 1).text,
                      numbers_text(&tile.alpha, 1).text,
                      numbers_text(&tile.beta, 1).text,
                      numbers_text(&l, 1).text, numbers_text(o, 2).text);
        }
    }
    table_print(&lines);
    return O;
}

int trace_tiled_attention(void)
{
    float O[TOY_N * TOY_D];
    memory mem;
    toy t;

    toy_fill(&t);
    memory_init(&mem, MEMORY_UNBOUNDED);
    toy_print(&t);
    heading("Standard attention: a whole row of S, then P, then o");
    if (toy_compare(&t, &standard_step, standard(&t, &mem, O)) != 0)
        return 1;
    puts("");
    heading("Tiled attention: two keys at a time");
    if (toy_compare(&t, &tiled_step, tiled(&t, O)) != 0)
        return 1;
    puts("\nm~ and l~ are those of the tile; m, l and o are those of all keys "
         "so far.\n"
         "alpha = e^(m_before - m), beta = e^(m~ - m), p = e^(s - m~).\n"
         "l = alpha l_before + beta l~, o = (alpha l_before o_before + beta p "
         "V) / l.\n");
    next_step("make exercise-04\n  or: ./run");
    return 0;
}
