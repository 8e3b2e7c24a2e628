/*
 * Problems for rung 11 (fp8_model.h).
 */
#include "07_cuda/fp8/fp8_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "07_cuda/fp8/fp8.h"

static void *bytes_of(size_t n, int value)
{
    void *a = malloc(n + 1);

    if (!a) {
        fprintf(stderr, "fp8_problem: no memory for %zu bytes\n", n);
        exit(1);
    }
    return memset(a, value, n);
}

static uint16_t *normal(random_source *source, size_t n, double spread)
{
    uint16_t *a = bytes_of(n * sizeof *a, 0);

    for (size_t e = 0; e < n; e++)
        a[e] = to_bf16((float)(spread * random_normal(source)));
    return a;
}

size_t fp8_count_q(const rung_problem *p)
{
    return (size_t)p->heads * (size_t)p->Nq * (size_t)p->D;
}

size_t fp8_count_k(const rung_problem *p)
{
    return (size_t)(p->heads / p->group) * (size_t)p->Nk * (size_t)p->D;
}

rung_problem fp8_problem(const fp8_shape *s, double spread, uint64_t seed)
{
    random_source source = random_seed(seed);
    rung_problem p = {.type = BF16,
                      .heads = s->heads,
                      .group = s->group,
                      .Nq = s->Nq,
                      .Nk = s->Nk,
                      .D = s->D,
                      .scale = 1 / sqrtf((float)s->D),
                      .offset = s->offset};

    p.Q = normal(&source, fp8_count_q(&p), spread);
    p.K = normal(&source, fp8_count_k(&p), 1);
    p.V = normal(&source, fp8_count_k(&p), 1);
    p.O = bytes_of(fp8_count_q(&p) * 2, 0xff);
    p.L = bytes_of((size_t)(p.heads * p.Nq) * sizeof *p.L, 0xff);
    p.scratch = bytes_of(fp8_in(&p).bytes, 0xaa);
    return p;
}

void fp8_problem_free(rung_problem *p)
{
    free((void *)p->Q);
    free((void *)p->K);
    free((void *)p->V);
    free(p->O);
    free(p->L);
    free(p->scratch);
}
