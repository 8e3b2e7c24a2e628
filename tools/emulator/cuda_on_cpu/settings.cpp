/* settings.cpp: see settings.h. */
#include "tools/emulator/cuda_on_cpu/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>

cuda_effort emu::effort = CUDA_CHECK;
bool emu::like_hardware, emu::summarised, emu::lockstep;
unsigned emu::seconds_per_block = 30, emu::architecture = 90;

namespace
{
uint64_t state; /* 0 means no random order */

[[noreturn]] void refuse(const char *variable, const char *value,
                         const char *allowed)
{
    fprintf(stderr, "%s=%s: invalid; allowed: %s\n", variable, value, allowed);
    exit(2);
}
} // namespace

void emu::read_settings()
{
    static bool done;
    if (done)
        return;
    done = true;
    const char *e = getenv("CUDA_ON_CPU"), *seed = getenv("CUDA_ON_CPU_SEED");
    if (e && !strcmp(e, "count"))
        effort = CUDA_COUNT;
    else if (e && !strcmp(e, "full"))
        effort = CUDA_FULL;
    else if (e && *e && strcmp(e, "check"))
        refuse("CUDA_ON_CPU", e, "count, check or full");
    const char *round = getenv("CUDA_ON_CPU_ROUND");
    if (round && *round && strcmp(round, "hardware"))
        refuse("CUDA_ON_CPU_ROUND", round, "hardware");
    like_hardware = round && *round;
    summarised = getenv("CUDA_ON_CPU_SUMMARY") != nullptr;
    const char *arch = getenv("CUDA_ON_CPU_ARCH");
    if (arch && *arch) {
        architecture = (unsigned)strtoul(arch, nullptr, 10);
        if (!strstr(" 80 86 89 90 ", (" " + std::string(arch) + " ").c_str()))
            refuse("CUDA_ON_CPU_ARCH", arch, "80, 86, 89 or 90");
    }
    const char *limit = getenv("CUDA_ON_CPU_LIMIT");
    if (limit && *limit) {
        char *end;
        seconds_per_block = (unsigned)strtoul(limit, &end, 10);
        if (*end || seconds_per_block > 1000000)
            refuse("CUDA_ON_CPU_LIMIT", limit, "seconds, 0 to 1000000");
    }
    if (seed && *seed) {
        char *end;
        state = strtoull(seed, &end, 10);
        if (*end || !state)
            refuse("CUDA_ON_CPU_SEED", seed, "a whole number from 1");
    }
}

bool emu::report_every_launch()
{
    const char *e = getenv("CUDA_ON_CPU_REPORT");
    return e && !strcmp(e, "1");
}

/* Knuth's linear congruential generator; only its upper bits are used. */
unsigned emu::random_below(unsigned n)
{
    if (!state)
        return 0;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

cuda_effort cuda_on_cpu_effort(void)
{
    emu::read_settings();
    return emu::effort;
}

void cuda_on_cpu_set_effort(cuda_effort e)
{
    emu::read_settings();
    emu::effort = e;
}

void cuda_on_cpu_lockstep(int on)
{
    emu::lockstep = on != 0;
}

void cuda_on_cpu_set_seed(uint64_t seed)
{
    emu::read_settings();
    state = seed;
}
