/*
 * What the tests of ring/ begin with. They are run by mpirun with any number of
 * ranks: each looks at what is its own, and a test passes where it passes on
 * all of them.
 */
#ifndef TEST_ON_RANKS_H
#define TEST_ON_RANKS_H

#include "06_flash2/ring/program/measure.h"
#include "common/problem/random.h"
#include "common/testing/run_tests.h"

#include <math.h>

static size_t ranks, self;

/* The same verdict on all ranks, so that none waits for one that gave up. */
#define assert_on_all(good) assert_on_all_at(good, __FILE__, __LINE__)

static inline void assert_on_all_at(bool good, const char *file, int line)
{
    int mine = good, all;

    if (!good)
        fprintf(stderr, "%s:%d: rank %zu of %zu\n", file, line, self, ranks);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    assert_true(all);
}

typedef struct {
    size_t Hq, Hk, Nq, Nk, d, dv;
    bool causal;
    long offset;
} sizes;

/* Any, up to those; Hk >= 1, d >= 1. */
static inline sizes any_sizes(random_source *r, size_t Hk, size_t N, size_t d)
{
    sizes z = {.Hk = 1 + random_below(r, Hk)};

    z.Hq = z.Hk * (1 + random_below(r, 3));
    z.Nq = random_below(r, N);
    z.Nk = random_below(r, N);
    z.d = 1 + random_below(r, d);
    z.dv = random_below(r, d);
    z.causal = random_below(r, 3) > 0;
    z.offset = (long)random_below(r, z.Nq + z.Nk + 1) - (long)z.Nq;
    return z;
}

static inline source made_of(const sizes *z)
{
    return (source){.random = true,
                    .seed = 7,
                    .B = 1,
                    .heads = {z->Hq, z->Hk, z->Hk},
                    .N = {z->Nq, z->Nk, z->Nk},
                    .cols = {z->d, z->d, z->dv}};
}

static inline ring_problem problem_of(const sizes *z)
{
    return (ring_problem){.Hq = z->Hq,
                          .Hk = z->Hk,
                          .Nq = z->Nq,
                          .Nk = z->Nk,
                          .d = z->d,
                          .dv = z->dv,
                          .scale = 1 / sqrtf((float)z->d),
                          .causal = z->causal,
                          .offset = z->offset,
                          .with_L = true};
}

/* The main of such a program: of all ranks the first says how it went. */
#define run_on_ranks(argc, argv, name, tests)                                  \
    run_array_on_ranks(argc, argv, name, tests,                                \
                       sizeof(tests) / sizeof((tests)[0]))

static inline int run_array_on_ranks(int argc, char **argv, const char *name,
                                     const struct CMUnitTest tests[], size_t n)
{
    int P, r, failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    ranks = (size_t)P;
    self = (size_t)r;
    if (r != 0 && !freopen("/dev/null", "w", stdout))
        return 1;
    failed = run_test_array(name, tests, n);
    MPI_Finalize();
    return failed;
}

#endif
