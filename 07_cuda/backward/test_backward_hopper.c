/*
 * The way back on tensor cores where tiles follow one another: stages that are
 * used again, groups of heads, and the same bits under every schedule.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/testing/run_tests.h"

#include "07_cuda/tests/gradient_bounds.h"
#include "07_cuda/tests/no_findings.h"
#include "07_cuda/backward/steps.h"
#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"

enum { FIRST = BACKWARD_tensor_cores, HEADS = 4, GROUP = 2, NK = 290 };

static gradient_case problem(size_t Nq, size_t columns, uint64_t seed)
{
    attention_case forward = case_of(Nq, NK, columns, columns);

    case_random(&forward, seed);
    case_causal(&forward, 20);
    return gradient_case_of(forward);
}

/* --- Heads that share K and V --------------------------------------------- */

/* Two groups of two heads. dK and dV of a group are its last case's, which
 * float64 has added to; so are what roundings may cost. */
typedef struct {
    gradient_case one[HEADS];
    double *dQ[HEADS], *dK[HEADS], *dV[HEADS]; /* bounds */
    gradients heads[HEADS];
} groups;

static double *copy_of(const double *from, size_t n)
{
    double *to = calloc(n, sizeof *to);

    assert_non_null(to);
    if (from)
        memcpy(to, from, n * sizeof *to);
    return to;
}

static void make_groups(groups *all, size_t Nq, size_t columns)
{
    size_t size = NK * columns;

    for (size_t n = 0; n < HEADS; n++) {
        gradient_case *c = &all->one[n];
        size_t before = n % GROUP ? n - 1 : n;

        *c = problem(Nq, columns, 10 + n);
        round_to_bf16(c);
        if (before != n) {
            const gradient_case *b = &all->one[before];

            memcpy(k_of(&c->forward, 0), k_of(&b->forward, 0),
                   size * sizeof(float));
            memcpy(v_of(&c->forward, 0), v_of(&b->forward, 0),
                   size * sizeof(float));
            memcpy(c->dK, b->dK, size * sizeof(double));
            memcpy(c->dV, b->dV, size * sizeof(double));
            c->g.add = true;
        }
        gradient_expect(c);
        all->dQ[n] = copy_of(NULL, Nq * columns);
        all->dK[n] = copy_of(before != n ? all->dK[before] : NULL, size);
        all->dV[n] = copy_of(before != n ? all->dV[before] : NULL, size);
        add_bounds(c, all->dQ[n], all->dK[n], all->dV[n]);
        all->heads[n] = c->g;
        all->heads[n].h = c->forward.h;
        all->heads[n].dK.hbm = all->one[n / GROUP * GROUP].g.dK.hbm;
        all->heads[n].dV.hbm = all->one[n / GROUP * GROUP].g.dV.hbm;
    }
}

static void check_groups(const groups *all)
{
    for (size_t n = 0; n < HEADS; n++) {
        const gradient_case *c = &all->one[n];

        check_within("dQ", all->heads[n].dQ.hbm, c->dQ, all->dQ[n],
                     c->dQ_tolerance);
        if (n % GROUP < GROUP - 1)
            continue;
        check_within("dK", all->heads[n].dK.hbm, c->dK, all->dK[n],
                     (double)GROUP * c->dK_tolerance);
        check_within("dV", all->heads[n].dV.hbm, c->dV, all->dV[n],
                     (double)GROUP * c->dV_tolerance);
    }
}

static void free_groups(groups *all)
{
    for (size_t n = 0; n < HEADS; n++) {
        gradient_free(&all->one[n]);
        free(all->dQ[n]);
        free(all->dK[n]);
        free(all->dV[n]);
    }
}

/* Three tiles of queries and three of keys, or five: each stage is filled again
 * while others are used, and across the heads of a group. */
static void a_group_adds_up(void **state)
{
    static const size_t sizes[][2] = {{270, 64}, {140, 100}};
    groups all;

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        make_groups(&all, sizes[k][0], sizes[k][1]);
        for (int r = FIRST; r < BACKWARD_RUNGS; r++) {
            memory mem;

            memory_init(&mem, 0);
            assert_int_equal(
                chapter_07_backward[r].run_heads(&chapter_07_backward[r],
                                                 all.heads, HEADS, &mem),
                0);
            check_groups(&all);
        }
        free_groups(&all);
    }
}

/* --- Every schedule ------------------------------------------------------- */

static size_t copy_gradients(const gradient_case *c, float *to)
{
    const matrix all[] = {c->g.dQ.hbm, c->g.dK.hbm, c->g.dV.hbm};
    size_t n = 0;

    for (size_t k = 0; k < 3; k++) {
        size_t size = all[k].rows * all[k].cols;

        memcpy(to + n, all[k].data, size * sizeof *to);
        n += size;
    }
    return n * sizeof *to;
}

/* Warps, copies and blocks come in another order each time. */
static void five_schedules_give_the_same_bits(void **state)
{
    gradient_case c = problem(140, 70, 20);
    size_t size = (140 + 2 * NK) * 70 * sizeof(float);
    float *first = malloc(size), *again = malloc(size);

    (void)state;
    assert_true(first && again);
    for (int r = FIRST; r < BACKWARD_RUNGS; r++) {
        attention_subject s = {.backward = &chapter_07_backward[r]};

        if (!backward_ladder[r].same_bits)
            continue;
        check_16_bits(&s, &c);
        assert_int_equal(copy_gradients(&c, first), size);
        for (int run = 0; run < 5; run++) {
            gradient_run(&c, &s);
            copy_gradients(&c, again);
            assert_memory_equal(again, first, size);
        }
    }
    free(first);
    free(again);
    gradient_free(&c);
}

/* --- Not read ------------------------------------------------------------- */

/* TMA is told how many keys are seen at all: beyond them it brings zeros. */
static void what_no_query_sees_may_be_anything(void **state)
{
    gradient_case c = problem(30, 9, 30);
    attention_subject s = {.backward = &chapter_07_backward[BACKWARD_wgmma]};
    const head *h = &c.forward.h;

    (void)state;
    for (size_t j = keys_seen_by(h, 0, h->Nq); j < h->Nk; j++) {
        k_of(&c.forward, j)[j % h->d] = NAN;
        v_of(&c.forward, j)[j % h->dv] = INFINITY;
    }
    check_16_bits(&s, &c);
    gradient_free(&c);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_adds_up),
        cmocka_unit_test(five_schedules_give_the_same_bits),
        cmocka_unit_test(what_no_query_sees_may_be_anything),
#ifdef CUDA_ON_CPU
        cmocka_unit_test(the_emulator_found_no_mistake),
#endif
    };

    setenv("CUDA_ON_CPU_SEED", "7", 0);
    return run_tests("backward_hopper", tests);
}
