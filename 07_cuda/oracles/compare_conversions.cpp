/*
 * Roundings: the emulator's, and those of rung 11's model, beside those of
 * NVIDIA's headers, on every 1009th float.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <math.h>
#include <string.h>

#include "07_cuda/oracles/comparison.h"

extern "C" {
#include "07_cuda/fp8/e4m3.h"
unsigned nvidia_e4m3(float x), nvidia_bf16(float x), nvidia_fp16(float x);
float nvidia_of_e4m3(unsigned code);
}

static unsigned planted; /* added to what NVIDIA says of 1.5 */

/* For a NaN any NaN will do. */
template <class Own, class Theirs>
static outcome every_float(Own own, Theirs theirs)
{
    outcome o;

    for (unsigned long long bits = 0; bits < 1ull << 32; bits += 1009) {
        unsigned u = (unsigned)bits;
        float x;

        memcpy(&x, &u, 4);
        if (!isnan(x))
            o.equal(own(x) == theirs(x));
    }
    o.equal(own(1.5f) == theirs(1.5f) + planted);
    return o;
}

static added a1(
    "to bf16", [] { return every_float(emu::to_bf16, nvidia_bf16); },
    [] { planted ^= 1; });
static added a2(
    "to fp16", [] { return every_float(emu::to_fp16, nvidia_fp16); },
    [] { planted ^= 1; });
static added a3(
    "to e4m3", [] { return every_float(emu::to_e4m3, nvidia_e4m3); },
    [] { planted ^= 1; });
static added a4(
    "to e4m3, in rung 11's model",
    [] {
        return every_float([](float x) { return e4m3_code((double)x); },
                           nvidia_e4m3);
    },
    [] { planted ^= 1; });

/* All 256 codes, by the emulator and by the model. */
static outcome codes()
{
    outcome o;

    for (unsigned c = 0; c < 256; c++) {
        double theirs = (double)nvidia_of_e4m3(c) + (c == 3 ? planted : 0);

        if (isnan(theirs)) {
            o.equal(isnan(emu::from_e4m3((uint8_t)c)));
            o.equal(isnan(e4m3_value(c)));
        } else {
            o.equal((double)emu::from_e4m3((uint8_t)c) == theirs);
            o.equal(e4m3_value(c) == theirs);
        }
    }
    return o;
}
static added a5("from e4m3", codes, [] { planted ^= 1; });
