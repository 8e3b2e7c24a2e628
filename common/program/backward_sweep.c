/*
 * --csv and --sweep of `./run --backward` (backward_sweep.h).
 */
#include "common/program/backward_sweep.h"

#include "common/print/report.h"
#include "common/program/attention_report.h"
#include "common/program/backward_report.h"

static int csv_steps(const backward_request *r, const backward_layer *b,
                     size_t M)
{
    const option *step = &r->o[OPT_STEP];
    const head *h = &b->forward.problem.each;
    gradient_truth truth;
    int status = gradient_truth_of(b, &truth);

    for (size_t k = 0; r->steps[k] && status == 0; k++) {
        backward_measurement m;

        if (step->given && step->choice != k)
            continue;
        progress("%s: %zu queries, d = %zu, M = %zu", r->names[k], h->Nq, h->d,
                 M);
        status = measure_backward(b, r->steps[k], M, 1, &truth, &m);
        progress_done();
        if (status == 0)
            backward_csv_line(&b->forward.problem, M, &m);
    }
    gradient_truth_free(&truth);
    return status;
}

static int csv_problem(const backward_request *r, const random_sizes *sizes,
                       size_t M)
{
    backward_layer b;
    int status = backward_problem(r, sizes, &b);

    if (status == 0)
        status = csv_steps(r, &b, M);
    backward_free(&b);
    return status;
}

/* N = 64, 128, ... 2048 (1024 for the plots), or up to --n. */
static int sweep_n(const backward_request *r, random_sizes s)
{
    size_t last = r->o[OPT_N].given ? s.Nq : asks_nothing(r->o) ? 1024 : 2048;
    int status = last < 64 ? sweep_too_low(r->o, "n begins at", 64, last) : 0;

    for (size_t N = 64; N && N <= last && status == 0; N *= 2) {
        s.Nq = N;
        s.Nk = r->o[OPT_NK].given ? s.Nk : N;
        status = csv_problem(r, &s, asked_M(r->o));
    }
    return status;
}

/* d = 8, 16, ... 128, or up to --d. */
static int sweep_d(const backward_request *r, random_sizes s)
{
    size_t last = r->o[OPT_D].given ? s.d : 128;
    int status = last < 8 ? sweep_too_low(r->o, "d begins at", 8, last) : 0;

    for (size_t d = 8; d && d <= last && status == 0; d *= 2) {
        s.d = d;
        s.dv = r->o[OPT_DV].given ? s.dv : d;
        status = csv_problem(r, &s, asked_M(r->o));
    }
    return status;
}

/* M = powers of two from the least that every step takes to 65536, or --sram. */
static int sweep_sram(const backward_request *r, const random_sizes *s)
{
    size_t last = r->o[OPT_SRAM].given ? r->o[OPT_SRAM].size : 65536, M = 1;
    backward_layer b;
    int status = backward_problem(r, s, &b);

    if (status == 0)
        while (M < 4 * (b.forward.problem.each.d + b.forward.problem.each.dv))
            M *= 2;
    if (status == 0 && last < M)
        status = sweep_too_low(r->o, "sram begins at", M, last);
    for (; M && M <= last && status == 0; M *= 2)
        status = csv_steps(r, &b, M);
    backward_free(&b);
    return status;
}

static int print_sweep(const backward_request *r, sweep what)
{
    random_sizes sizes = asked_sizes(r->o);

    if (what == SWEEP_N)
        return sweep_n(r, sizes);
    if (what == SWEEP_D)
        return sweep_d(r, sizes);
    return sweep_sram(r, r->o[OPT_Q].given ? NULL : &sizes);
}

int backward_csv(const backward_request *r)
{
    random_sizes sizes = asked_sizes(r->o);
    int status = 0;

    csv_begin();
    if (r->o[OPT_SWEEP].given)
        return print_sweep(r, (sweep)r->o[OPT_SWEEP].choice);
    if (!asks_nothing(r->o))
        return csv_problem(r, asks_random(r->o) ? &sizes : NULL, asked_M(r->o));
    for (int what = SWEEP_N; what <= SWEEP_SRAM && status == 0; what++)
        status = print_sweep(r, (sweep)what);
    return status;
}
