/*
 * Runs each rung many times on the same inputs. The outputs must have the same
 * bits: a race can change them. Hopper's rungs must also agree with rung 7, so
 * that outputs which are always NaN fail.
 *
 *     repeat older|hopper|all [small]
 *
 * older runs the rungs before Hopper 100 times each, and hopper runs Hopper's
 * rungs 250 times each. all runs both. small runs each rung once on a ragged
 * shape, for compute-sanitizer. Rungs that this machine cannot run are skipped.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "07_cuda/bench/timing.h"
#include "07_cuda/host/device.h"

static int outputs(rung_problem p, std::vector<char> *bytes)
{
    device_array all[ARRAYS];
    int error = 0;

    rung_arrays(&p, all);
    bytes->clear();
    for (int a = O_OUT; a <= L_OUT && !error; a++) {
        size_t before = bytes->size(), size = all[a].n * all[a].size;

        bytes->resize(before + size);
        error = cudaMemcpy(bytes->data() + before, *all[a].at, size,
                           cudaMemcpyDeviceToHost);
    }
    return error;
}

/* Runs rung 7 on p. Stores in *far the relative distance of `own` from its O,
 * or NaN if one of them has a NaN. Both are bf16. */
static int distance(const rung_problem *p, const std::vector<char> &own,
                    double *far)
{
    size_t n = (size_t)p->heads * p->Nq * p->D;
    std::vector<char> other;
    double difference = 0, norm = 0;
    int error = rung_full(p);

    if (!error)
        error = outputs(*p, &other);
    for (size_t e = 0; e < n && !error; e++) {
        double a = from_bf16(((const uint16_t *)own.data())[e]);
        double b = from_bf16(((const uint16_t *)other.data())[e]);

        difference += (a - b) * (a - b);
        norm += b * b;
    }
    *far = sqrt(difference / norm);
    return error;
}

/* Returns 1, with a message, if a run fails or gives a wrong result. */
static int repeat(const rung *r, precision type, int N, int d, bool causal,
                  int times)
{
    std::vector<char> first, now;
    double far = 0, allowed = r->fp8 ? 0.1 : 0.02;
    rung_problem p;
    int differs = 0,
        error = problem_random(&p, type, {1, 6, 6, N, N, d, causal});

    for (int k = 0; k < times && !error && !differs; k++) {
        error = r->run(&p);
        if (!error)
            error = outputs(p, k ? &now : &first);
        if (!error && k && memcmp(now.data(), first.data(), now.size()))
            differs = k;
    }
    if (!error && is_hopper(r))
        error = distance(&p, first, &far);
    int freed = problem_free(&p);
    error = error ? error : freed;
    if (error)
        printf("%s: %s\n", r->name, device_error(error));
    if (differs)
        printf("%s, %s, N %d, d %d: run %d differs from run 0\n", r->name,
               precision_name(type), N, d, differs);
    if (!(far <= allowed))
        printf("%s, N %d, d %d: the distance from rung 7 is %g\n", r->name, N,
               d, far);
    return error || differs || !(far <= allowed);
}

int main(int argc, char **argv)
{
    const char *group = argc > 1 ? argv[1] : "";
    bool small = argc > 2 && !strcmp(argv[2], "small");
    bool older = strcmp(group, "hopper"), hopper = strcmp(group, "older");
    int wrong = 0, runs = 0;

    if (!(strcmp(group, "all") == 0 || !older || !hopper)) {
        fprintf(stderr, "usage: repeat older|hopper|all [small]\n");
        return 2;
    }
    for (const rung &r : ladder) {
        if (is_hopper(&r) ? !hopper : !older)
            continue;
        print_left_out(stdout, r.name, &r.needs);
        for (int D = 32; D <= widest_here(&r.needs); D *= 2)
            for (int causal = 0; causal < 2 && rung_Br(&r, D) > 0; causal++)
                for (int fp16 = 0; fp16 <= r.fp16; fp16++, runs++)
                    wrong += repeat(&r, rung_type(&r, fp16 ? FP16 : BF16),
                                    small ? 150 : 1000, D, causal > 0,
                                    small           ? 1
                                    : is_hopper(&r) ? 250
                                                    : 100);
    }
    printf("%d kernels run %s, %d wrong\n", runs, small ? "once" : "many times",
           wrong);
    return wrong != 0 || runs == 0;
}
