/*
 * What does not go together on the command line of chapters 04 to 06
 * (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/program/outputs.h"

/* The first of a pair is refused beside the second, or without it. */
static int check_pairs(const option o[])
{
    static const int apart[][2] = {{OPT_CSV, OPT_OUT},
                                   {OPT_CAUSAL, OPT_CAUSAL_OFFSET}};
    static const int only_with[][2] = {{OPT_SWEEP, OPT_CSV},
                                       {OPT_LSE, OPT_OUT}};

    for (int alone = OPT_LIST; alone <= OPT_TRACE; alone++)
        for (int k = 0; k <= OPT_CSV; k++)
            if (k != alone && options_exclude(o, alone, k))
                return 2;
    for (size_t k = 0; k < 2; k++)
        if (options_exclude(o, apart[k][0], apart[k][1]))
            return 2;
    for (size_t k = 0; k < 2; k++)
        if (o[only_with[k][0]].given && !o[only_with[k][1]].given)
            return option_refuse(&o[only_with[k][0]], "only with --%s",
                                 o[only_with[k][1]].name);
    return 0;
}

static int check_source(const request *r)
{
    const option *random = options_given(r->o, OPT_BATCH, OPT_SEED), *o = r->o;
    size_t Hq = r->sizes.Hq, Hk = r->sizes.Hk;

    for (int k = OPT_Q; r->from_files && k <= OPT_V; k++)
        if (!o[k].given)
            return option_refuse(&o[k], "is missing (--q, --k and --v go "
                                        "together)");
    if (r->from_files && random)
        return option_refuse(random, "not together with --q");
    if (r->from_files && !o[OPT_OUT].given && !o[OPT_CSV].given)
        return option_refuse(&o[OPT_OUT],
                             "is missing: where is O to go? (or --csv)");
    if (Hk == 0 ? Hq != 0 : Hq % Hk != 0)
        return option_refuse(&o[OPT_KV_HEADS],
                             "%zu query heads cannot share %zu (a whole "
                             "multiple is allowed)",
                             Hq, Hk);
    return 0;
}

static int check_sweep(const request *r)
{
    const option *o = r->o, *s = &o[OPT_SWEEP];
    bool of_tiles = s->choice >= SWEEP_SRAM;

    if (!s->given)
        return 0;
    if (!of_tiles && r->from_files)
        return option_refuse(s, "%s is fixed by --q (sram or br are allowed)",
                             s->choices[s->choice]);
    if (of_tiles && r->chapter->tables)
        return option_refuse(s, "no %s to choose here (n or d are allowed)",
                             s->choices[s->choice]);
    if (of_tiles)
        return options_exclude(o, OPT_SWEEP, OPT_BR) ||
               options_exclude(o, OPT_SWEEP, OPT_BC);
    return s->choice == SWEEP_N && options_exclude(o, OPT_SWEEP, OPT_MASK);
}

static int check_tiles(const request *r)
{
    const option *o = r->o;
    const attention_step *step = r->steps[r->step];

    if (o[OPT_BR].given && r->chapter->one_query)
        return option_refuse(&o[OPT_BR], "one query at a time here (--bc "
                                         "alone is allowed)");
    for (int k = OPT_BR; k <= OPT_BC && !r->chapter->one_query; k++)
        if (o[k].given && !o[OPT_BR + OPT_BC - k].given)
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
    return options_exclude(o, OPT_BC, OPT_SRAM);
}

/* --dtype is for the steps that are not the same in both types. */
static int check_type(const request *r)
{
    const attention_step *step = r->steps[r->step];
    size_t nth = r->step - r->own;

    if (!r->o[OPT_DTYPE].given || !r->o[OPT_STEP].given ||
        r->chapter->own_in(BF16)[nth].type !=
            r->chapter->own_in(FP16)[nth].type)
        return 0;
    return option_refuse(&r->o[OPT_DTYPE],
                         "%s computes in %s and has no choice", step->name,
                         precision_name(step->type));
}

int request_check(const request *r)
{
    const option *cap = &r->o[OPT_SOFTCAP];

    if (check_pairs(r->o) || check_source(r) || check_sweep(r) ||
        check_tiles(r) || check_type(r))
        return 2;
    if (cap->given && !(cap->number > 0))
        return option_refuse(cap, "%g is not above 0", (double)cap->number);
    return outputs_check(&r->o[OPT_Q], OPT_OUT - OPT_Q, 2);
}
