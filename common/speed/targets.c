#include "common/speed/targets.h"

#include "common/print/outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(target) #target,
static const char *const names[] = {TARGETS};
#undef X

#define COUNT (sizeof names / sizeof names[0])

size_t target_count(void)
{
    return COUNT;
}

/* True if the CPU has the instructions of the target and the operating system
 * saves their registers. __builtin_cpu_supports takes only a literal, so each
 * target has its own line. */
static bool cpu_runs(const char *name)
{
#ifdef __x86_64__
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    (void)name;
    return true;
}

bool target_runs(size_t t)
{
    const char *wanted = getenv("FLASH2_TARGET");

    return cpu_runs(names[t]) &&
           (!wanted || !*wanted || strcmp(wanted, names[t]) == 0);
}

size_t choose_target(char message[160])
{
    char list[80] = "";

    for (size_t t = 0; t < COUNT; t++)
        if (target_runs(t))
            return t;

    for (size_t t = 0; t < COUNT; t++)
        if (cpu_runs(names[t])) {
            if (*list)
                strcat(list, ", ");
            strcat(list, names[t]);
        }
    snprintf(message, 160, "FLASH2_TARGET: no target %.40s here (%s)",
             shown(getenv("FLASH2_TARGET")).text, list);
    return COUNT;
}
