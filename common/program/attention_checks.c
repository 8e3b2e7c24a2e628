/*
 * What does not go together on the command line of chapters 04 to 06
 * (attention_options.h).
 */
#include "common/program/attention_options.h"

static int check_what(const request *r)
{
    const option *o = r->o;

    for (int alone = OPT_LIST; alone <= OPT_TRACE; alone++)
        for (int k = 0; k <= OPT_CSV; k++)
            if (k != alone && options_exclude(r->o, alone, k))
                return 2;
    if (options_exclude(r->o, OPT_CSV, OPT_OUT))
        return 2;
    if (o[OPT_SWEEP].given && !o[OPT_CSV].given)
        return option_refuse(&o[OPT_SWEEP], "only with --csv");
    if (o[OPT_LSE].given && !o[OPT_OUT].given)
        return option_refuse(&o[OPT_LSE], "only with --out");
    return 0;
}

static int check_source(const request *r)
{
    const option *random = options_given(r->o, OPT_BATCH, OPT_SEED), *o = r->o;
    size_t Hq = o[OPT_HEADS].size, Hk = request_sizes(r).Hk;

    if (request_has_files(r)) {
        for (int k = OPT_Q; k <= OPT_V; k++)
            if (!o[k].given)
                return option_refuse(&o[k], "is missing (--q, --k and --v go "
                                            "together)");
        if (random)
            return option_refuse(random, "not together with --q");
        if (!o[OPT_OUT].given && !o[OPT_CSV].given)
            return option_refuse(&o[OPT_OUT],
                                 "is missing: where is O to go? (or --csv)");
    }
    if (Hk == 0 ? Hq != 0 : Hq % Hk != 0)
        return option_refuse(&o[OPT_KV_HEADS],
                             "%zu query heads cannot share %zu (a whole "
                             "multiple is allowed)",
                             Hq, Hk);
    return 0;
}

static int check_sweep(const request *r)
{
    const option *o = r->o;

    if (!o[OPT_SWEEP].given)
        return 0;
    if (o[OPT_SWEEP].choice <= SWEEP_D && request_has_files(r))
        return option_refuse(&o[OPT_SWEEP],
                             "%s is fixed by --q (sram or br are allowed)",
                             sweep_names[o[OPT_SWEEP].choice]);
    if (o[OPT_SWEEP].choice >= SWEEP_SRAM && r->chapter->tables)
        return option_refuse(&o[OPT_SWEEP],
                             "no %s to choose here (n or d are allowed)",
                             sweep_names[o[OPT_SWEEP].choice]);
    if (o[OPT_SWEEP].choice == SWEEP_N &&
        options_exclude(r->o, OPT_SWEEP, OPT_MASK))
        return 2;
    if (o[OPT_SWEEP].choice >= SWEEP_SRAM &&
        (options_exclude(r->o, OPT_SWEEP, OPT_BR) ||
         options_exclude(r->o, OPT_SWEEP, OPT_BC)))
        return 2;
    return 0;
}

static int check_tiles(const request *r)
{
    const option *o = r->o;
    const attention_step *step = r->steps[request_step(r)];

    if (o[OPT_BR].given && r->chapter->one_query)
        return option_refuse(&o[OPT_BR], "one query at a time here (--bc "
                                         "alone is allowed)");
    for (int k = OPT_BR; k <= OPT_BC; k++)
        if (o[k].given && !o[OPT_BR + OPT_BC - k].given &&
            !r->chapter->one_query)
            return option_refuse(&o[k], "only together with --%s",
                                 o[OPT_BR + OPT_BC - k].name);
    if (o[OPT_BC].given && !step->tiles)
        return option_refuse(&o[OPT_BC], "%s has no tiles to choose",
                             step->name);
    if (o[OPT_SRAM].given && r->chapter->tables)
        return option_refuse(&o[OPT_SRAM],
                             "the chip's memory is not to be chosen here");
    if (o[OPT_SRAM].given && !step->tiles && !step->formula)
        return option_refuse(&o[OPT_SRAM], "%s counts no traffic", step->name);
    return options_exclude(r->o, OPT_BC, OPT_SRAM);
}

/* --dtype is for the steps that are not the same in both types. */
static int check_type(const request *r)
{
    const attention_step *step = r->steps[request_step(r)];
    size_t nth = request_step(r) - r->own;

    if (!r->o[OPT_DTYPE].given || !r->o[OPT_STEP].given ||
        r->chapter->own_in(BF16)[nth].type !=
            r->chapter->own_in(FP16)[nth].type)
        return 0;
    return option_refuse(&r->o[OPT_DTYPE],
                         "%s computes in %s and has no choice", step->name,
                         precision_name(step->type));
}

static int check_scores(const request *r)
{
    const option *cap = &r->o[OPT_SOFTCAP];

    if (cap->given && !(cap->number > 0))
        return option_refuse(cap, "%g is not above 0", (double)cap->number);
    return options_exclude(r->o, OPT_CAUSAL, OPT_CAUSAL_OFFSET);
}

int request_check(const request *r)
{
    return check_what(r) || check_source(r) || check_sweep(r) ||
                   check_tiles(r) || check_scores(r) || check_type(r)
               ? 2
               : 0;
}
