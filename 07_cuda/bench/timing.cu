/* Times kernels by events, and makes random problems (timing.h). */
#include "07_cuda/bench/timing.h"

#include <cuda_runtime.h>
#include <stdint.h>

#include <algorithm>

#include "07_cuda/host/device.h"

extern "C" {
#include "common/data/random.h"
}

/* Measures the seconds of `times` consecutive starts by two events. */
static int time_starts(const contender &c, int times, double *seconds)
{
    cudaEvent_t from = nullptr, to = nullptr;
    float ms = 0;
    int error = cudaEventCreate(&from);

    if (!error)
        error = cudaEventCreate(&to);
    if (!error)
        error = cudaEventRecord(from);
    for (int k = 0; k < times && !error; k++)
        error = c.start();
    if (!error)
        error = cudaEventRecord(to);
    if (!error)
        error = cudaEventSynchronize(to);
    if (!error)
        error = cudaEventElapsedTime(&ms, from, to);
    for (cudaEvent_t event : {from, to}) {
        int destroyed = event ? cudaEventDestroy(event) : 0;

        error = error ? error : destroyed;
    }
    *seconds = ms / 1e3;
    return error;
}

static const double once = 0.3; /* seconds; a slower contender runs once */

int time_cold(std::vector<contender> &all, int rounds)
{
    const size_t more = (size_t)256 << 20;
    void *other;
    int error = cudaMalloc(&other, more), freed;

    if (error)
        return error;
    for (contender &c : all) {
        std::vector<double> t(rounds);

        if (!(c.median <= once))
            continue;
        for (int r = 0; r < rounds && !error; r++) {
            error = cudaMemsetAsync(other, r, more);
            if (!error)
                error = time_starts(c, 1, &t[r]);
        }
        std::sort(t.begin(), t.end());
        c.cold = t[rounds / 2];
    }
    freed = cudaFree(other);
    return error ? error : freed;
}

int time_in_turns(std::vector<contender> &all, int rounds)
{
    std::vector<std::vector<double>> times(all.size());
    std::vector<int> starts(all.size(), 1);
    std::vector<bool> slow(all.size());
    double seconds;

    for (int round = -2; round < rounds; round++)
        for (size_t k = 0; k < all.size(); k++) {
            if (slow[k])
                continue;
            int error = time_starts(all[k], starts[k], &seconds);

            if (error)
                return error;
            if (isnan(seconds)) { /* the PTX interpreter has no clock */
                for (contender &c : all)
                    c.median = c.spread = NAN;
                return 0;
            }
            slow[k] = round == -2 && seconds > once;
            if (round == -1)
                starts[k] = 1 + (int)(2e-3 / std::max(seconds, 1e-6));
            if (round >= 0 || slow[k])
                times[k].push_back(seconds / starts[k]);
        }
    for (size_t k = 0; k < all.size(); k++) {
        std::vector<double> &t = times[k];

        std::sort(t.begin(), t.end());
        all[k].median = t[t.size() / 2];
        all[k].spread = (t[t.size() * 3 / 4] - t[t.size() / 4]) / all[k].median;
    }
    return 0;
}

static int fill_array(const device_array &a, precision type,
                      random_source *source)
{
    size_t period = std::min(a.n, (size_t)1 << 20);
    std::vector<float> x(period);
    std::vector<uint16_t> narrow(period);
    int error = 0;

    random_fill(source, x.data(), period, 1);
    for (size_t k = 0; k < period && type != FP32; k++)
        narrow[k] = type == BF16 ? to_bf16(x[k]) : to_fp16(x[k]);
    /* The array repeats 2^20 numbers. No kernel runs faster for that. */
    for (size_t at = 0; at < a.n && !error; at += period)
        error = cudaMemcpy((char *)*a.at + at * a.size,
                           type == FP32 ? (void *)x.data() : narrow.data(),
                           std::min(period, a.n - at) * a.size,
                           cudaMemcpyHostToDevice);
    return error;
}

int problem_random(rung_problem *p, precision type, const shape &s)
{
    random_source source = random_seed(1);
    device_array all[ARRAYS];
    int error = 0;

    *p = rung_problem();
    p->type = type;
    p->heads = s.batch * s.heads;
    p->group = s.heads / s.kv_heads;
    p->Nq = s.Nq;
    p->Nk = s.Nk;
    p->D = s.d;
    p->scale = s.d == 64 ? 0.125f : 0.08838835f;
    p->offset = s.causal ? s.Nk - s.Nq : s.Nk;

    rung_arrays(p, all);
    for (int a = 0; a < ARRAYS && !error; a++) {
        error = cudaMalloc(all[a].at, all[a].n * all[a].size);
        if (!error && a <= V_IN)
            error = fill_array(all[a], type, &source);
    }
    return error;
}

int problem_free(rung_problem *p)
{
    device_array all[ARRAYS];
    int error = 0;

    rung_arrays(p, all);
    for (const device_array &a : all) {
        int freed = cudaFree(*a.at);

        error = error ? error : freed;
    }
    return error;
}

double problem_flops(const rung_problem *p)
{
    double pairs = (double)p->Nq * p->Nk;

    if (p->offset < p->Nk - 1)
        pairs -= (double)p->Nq * (p->Nq - 1) / 2;
    return 4 * pairs * p->D * p->heads;
}
