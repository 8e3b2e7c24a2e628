/*
 * What does not go together where files or sweeps are asked for
 * (problem_options.h).
 */
#include "common/program/problem_options.h"

int files_check(const option o[])
{
    const option *random = options_given(o, OPT_BATCH, OPT_SEED);
    const option *s = &o[OPT_SWEEP];

    if (s->given && !o[OPT_CSV].given)
        return option_refuse(s, "only with --csv");
    for (int k = OPT_Q; asks_files(o) && k <= OPT_V; k++)
        if (!o[k].given)
            return option_refuse(&o[k], "is missing (--q, --k and --v go "
                                        "together)");
    if (asks_files(o) && random)
        return option_refuse(random, "not together with --q");
    if (!s->given)
        return 0;
    if (s->choice >= SWEEP_SRAM)
        return options_exclude(o, OPT_SWEEP, OPT_BR) ||
                       options_exclude(o, OPT_SWEEP, OPT_BC)
                   ? 2
                   : 0;
    if (asks_files(o))
        return option_refuse(
            s, "%s is fixed by --q (%s allowed)", s->choices[s->choice],
            s->choices[SWEEP_BR] ? "sram or br are" : "sram is");
    for (int k = OPT_MASK; s->choice == SWEEP_N && k <= OPT_BLOCK_MASK; k++)
        if (k != OPT_SINK && options_exclude(o, OPT_SWEEP, k))
            return 2;
    return 0;
}

int sweep_too_low(const option o[], const char *what, size_t first, size_t last)
{
    return option_refuse(&o[OPT_SWEEP], "%s %zu, beyond %zu", what, first,
                         last);
}
