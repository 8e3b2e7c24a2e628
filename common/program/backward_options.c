/*
 * What `./run --backward` accepts, and what does not go together
 * (backward_options.h).
 */
#include "common/program/backward_options.h"

#include "common/problem/bundled.h"
#include "common/program/options.h"
#include "common/program/outputs.h"

#include <stdio.h>
#include <string.h>

static const char *const sweeps[] = {"n", "d", "sram", NULL};

/* Returns 0, or 1 after one line on stderr if there is no room for them. */
static int list_steps(backward_request *r)
{
    const backward_step *const lists[] = {r->chapter->before, r->chapter->own};
    size_t n = 0;

    for (size_t k = 0; k < 2; k++)
        for (const backward_step *s = lists[k]; s && s->name; s++) {
            if (n == MOST_BACKWARD_STEPS) {
                fprintf(stderr, "backward_read: more than %d steps\n",
                        MOST_BACKWARD_STEPS);
                return 1;
            }
            r->names[n] = s->name;
            r->steps[n++] = s;
        }
    return 0;
}

static void declare(backward_request *r)
{
    const option table[BACK_OPTIONS + 1] = {
        [BACK_BACKWARD] = FLAG_OPTION("backward", "the gradients of attention"),
        [BACK_LIST] = FLAG_OPTION("list", "name, type and idea of each step"),
        [BACK_TRACE] = FLAG_OPTION("trace", "4 queries, 4 keys, by hand"),
        [BACK_STEP] = CHOICE_OPTION("step", "NAME", NULL, 0, "this alone:"),
        [BACK_Q] =
            FILE_OPTION("q", "Q.npy", "(B, Hq, Nq, d), or fewer leading"),
        [BACK_K] = FILE_OPTION("k", "K.npy", "(B, Hk, Nk, d)"),
        [BACK_V] = FILE_OPTION("v", "V.npy", "(B, Hk, Nk, dv)"),
        [BACK_MASK] =
            FILE_OPTION("mask", "M.npy", "(B|1, Hq|1, Nq, Nk), added"),
        [BACK_GRAD_OUT] =
            FILE_OPTION("grad-out", "dO.npy", "(B, Hq, Nq, dv); else random"),
        [BACK_GRAD_Q] = FILE_OPTION("grad-q", "dQ.npy", "to write: as Q"),
        [BACK_GRAD_K] = FILE_OPTION("grad-k", "dK.npy", "to write: as K"),
        [BACK_GRAD_V] = FILE_OPTION("grad-v", "dV.npy", "to write: as V"),
        [BACK_SCALE] = NUMBER_OPTION("scale", "s", 0, "in place of 1/sqrt(d)"),
        [BACK_CAUSAL] = FLAG_OPTION("causal", "keys j <= i + Nk - Nq only"),
        [BACK_CAUSAL_OFFSET] =
            INTEGER_OPTION("causal-offset", "o", 0, "keys j <= i + o only"),
        [BACK_WINDOW] = SIZE_OPTION("window", "W", 1, 0,
                                    "keys |i + Nk - Nq (or o) - j| < W only"),
        [BACK_ALIBI] =
            FLAG_OPTION("alibi", "- 2^(-8 h / Hq) |i + Nk - Nq - j|"),
        [BACK_SOFTCAP] = NUMBER_OPTION("softcap", "c", 0, "c tanh(score / c)"),
        [BACK_BR] = SIZE_OPTION("br", "n", 1, 0, "queries per tile, with --bc"),
        [BACK_BC] =
            SIZE_OPTION("bc", "n", 1, 0, "keys per tile; M is unbounded"),
        [BACK_SRAM] = SIZE_OPTION("sram", "M", 1, 8192,
                                  "elements on chip (8192); tiles follow"),
        [BACK_BATCH] = SIZE_OPTION("batch", "B", 0, 1, "of a random problem"),
        [BACK_HEADS] = SIZE_OPTION("heads", "Hq", 0, 1, "query heads"),
        [BACK_KV_HEADS] = SIZE_OPTION("kv-heads", "Hk", 0, 0, "key heads (Hq)"),
        [BACK_N] = SIZE_OPTION("n", "Nq", 0, 500, "queries (500)"),
        [BACK_NK] = SIZE_OPTION("nk", "Nk", 0, 0, "keys (Nq)"),
        [BACK_D] = SIZE_OPTION("d", "d", 1, 32, "of a query and a key (32)"),
        [BACK_DV] = SIZE_OPTION("dv", "dv", 0, 0, "of a value (d)"),
        [BACK_SEED] = SIZE_OPTION("seed", "S", 0, 1, "of the random numbers"),
        [BACK_SWEEP] = CHOICE_OPTION("sweep", "WHAT", sweeps, 0,
                                     "up to --n, --d or --sram; of:"),
        [BACK_CSV] = FLAG_OPTION("csv", "a line a step (alone: for plots)"),
    };

    memcpy(r->o, table, sizeof table);
    r->o[BACK_Q].file = BUNDLED_Q;
    r->o[BACK_K].file = BUNDLED_K;
    r->o[BACK_V].file = BUNDLED_V;
    r->o[BACK_STEP].choices = r->names;
}

bool backward_is_random(const backward_request *r)
{
    return options_given(r->o, BACK_BATCH, BACK_SWEEP) != NULL;
}

bool backward_writes(const backward_request *r)
{
    return options_given(r->o, BACK_GRAD_Q, BACK_GRAD_V) != NULL;
}

size_t backward_M(const backward_request *r)
{
    return r->o[BACK_BC].given ? MEMORY_UNBOUNDED : r->o[BACK_SRAM].size;
}

random_sizes backward_sizes(const backward_request *r)
{
    const option *o = r->o;
    size_t Hq = o[BACK_HEADS].size, Nq = o[BACK_N].size, d = o[BACK_D].size;

    return (random_sizes){
        .B = o[BACK_BATCH].size,
        .Hq = Hq,
        .Hk = o[BACK_KV_HEADS].given ? o[BACK_KV_HEADS].size : Hq,
        .Nq = Nq,
        .Nk = o[BACK_NK].given ? o[BACK_NK].size : Nq,
        .d = d,
        .dv = o[BACK_DV].given ? o[BACK_DV].size : d,
        .seed = o[BACK_SEED].size,
    };
}

/* --- What does not go together -------------------------------------------- */

static int check_what(const backward_request *r)
{
    const option *o = r->o;

    for (int alone = BACK_LIST; alone <= BACK_TRACE; alone++)
        for (int k = BACK_LIST; k < BACK_OPTIONS; k++)
            if (k != alone && options_exclude(r->o, alone, k))
                return 2;
    for (int k = BACK_GRAD_Q; k <= BACK_GRAD_V; k++)
        if (options_exclude(r->o, BACK_CSV, k))
            return 2;
    if (o[BACK_SWEEP].given && !o[BACK_CSV].given)
        return option_refuse(&o[BACK_SWEEP], "only with --csv");
    if (options_exclude(r->o, BACK_SWEEP, BACK_GRAD_OUT))
        return 2;
    return 0;
}

static int check_source(const backward_request *r)
{
    const option *random = options_given(r->o, BACK_BATCH, BACK_SEED),
                 *o = r->o;
    size_t Hq = o[BACK_HEADS].size, Hk = backward_sizes(r).Hk;

    if (options_given(r->o, BACK_Q, BACK_V)) {
        for (int k = BACK_Q; k <= BACK_V; k++)
            if (!o[k].given)
                return option_refuse(&o[k], "is missing (--q, --k and --v go "
                                            "together)");
        if (random)
            return option_refuse(random, "not together with --q");
        if (o[BACK_SWEEP].given && o[BACK_SWEEP].choice != BACK_SWEEP_SRAM)
            return option_refuse(&o[BACK_SWEEP],
                                 "%s is fixed by --q (sram is allowed)",
                                 sweeps[o[BACK_SWEEP].choice]);
        if (!backward_writes(r) && !o[BACK_CSV].given)
            return option_refuse(&o[BACK_GRAD_Q],
                                 "is missing: where are the gradients to go? "
                                 "(--grad-q, --grad-k, --grad-v, or --csv)");
    }
    if (Hk == 0 ? Hq != 0 : Hq % Hk != 0)
        return option_refuse(&o[BACK_KV_HEADS],
                             "%zu query heads cannot share %zu (a whole "
                             "multiple is allowed)",
                             Hq, Hk);
    return 0;
}

static int check_tiles(const backward_request *r)
{
    const option *o = r->o;

    for (int k = BACK_BR; k <= BACK_BC; k++)
        if (o[k].given && !o[BACK_BR + BACK_BC - k].given)
            return option_refuse(&o[k], "only together with --%s",
                                 o[BACK_BR + BACK_BC - k].name);
    if (o[BACK_STEP].given && !r->steps[o[BACK_STEP].choice]->tiles) {
        if (o[BACK_BC].given)
            return option_refuse(&o[BACK_BC], "%s has no tiles to choose",
                                 r->names[o[BACK_STEP].choice]);
        if (o[BACK_SRAM].given && !r->steps[o[BACK_STEP].choice]->formula)
            return option_refuse(&o[BACK_SRAM], "%s counts no traffic",
                                 r->names[o[BACK_STEP].choice]);
    }
    if (o[BACK_SWEEP].given && o[BACK_SWEEP].choice == BACK_SWEEP_SRAM &&
        (options_exclude(r->o, BACK_SWEEP, BACK_BR) ||
         options_exclude(r->o, BACK_SWEEP, BACK_BC)))
        return 2;
    if (o[BACK_SWEEP].given && o[BACK_SWEEP].choice == BACK_SWEEP_N &&
        options_exclude(r->o, BACK_SWEEP, BACK_MASK))
        return 2;
    return options_exclude(r->o, BACK_BC, BACK_SRAM);
}

static int check_scores(const backward_request *r)
{
    const option *cap = &r->o[BACK_SOFTCAP];

    if (cap->given && !(cap->number > 0))
        return option_refuse(cap, "%g is not above 0", (double)cap->number);
    return options_exclude(r->o, BACK_CAUSAL, BACK_CAUSAL_OFFSET);
}

bool backward_read(backward_request *r, const backward_chapter *chapter,
                   int argc, char **argv, int *status)
{
    *r = (backward_request){.chapter = chapter};
    *status = list_steps(r);
    if (*status)
        return false;
    declare(r);
    if (!options_parse(r->o, chapter->about,
                       "./run --backward --q common/data/q.npy \\\n"
                       "        --k common/data/k.npy --v common/data/v.npy "
                       "--grad-q build/dQ.npy",
                       argc, argv, status))
        return false;
    *status = 2;
    if (check_what(r) || check_source(r) || check_tiles(r) || check_scores(r))
        return false;
    r->bare = argc == 2 + r->o[BACK_CSV].given;
    *status = outputs_check(&r->o[BACK_Q], BACK_GRAD_Q - BACK_Q, 3);
    return *status == 0;
}

int backward_problem(const backward_request *r, const random_sizes *sizes,
                     backward_layer *b)
{
    const option *o = r->o;
    head *h = &b->forward.problem.each;
    int status;

    memset(b, 0, sizeof *b);
    if (o[BACK_Q].given)
        status = arrays_read(&b->forward, o[BACK_Q].file, o[BACK_K].file,
                             o[BACK_V].file);
    else
        status = sizes ? arrays_random(&b->forward, sizes)
                       : arrays_bundled(&b->forward);
    if (status == 0 && o[BACK_MASK].given)
        status = arrays_read_mask(&b->forward, o[BACK_MASK].file);
    if (status == 0)
        status = backward_arrays(
            b, o[BACK_GRAD_OUT].given ? o[BACK_GRAD_OUT].file : NULL);
    if (status != 0)
        return status;
    if (o[BACK_SCALE].given)
        h->scale = o[BACK_SCALE].number;
    h->softcap = o[BACK_SOFTCAP].given ? o[BACK_SOFTCAP].number : 0;
    h->causal = o[BACK_CAUSAL].given || o[BACK_CAUSAL_OFFSET].given;
    h->offset = o[BACK_CAUSAL_OFFSET].given ? o[BACK_CAUSAL_OFFSET].integer
                                            : (long)h->Nk - (long)h->Nq;
    h->window = o[BACK_WINDOW].size;
    b->forward.problem.alibi = o[BACK_ALIBI].given;
    h->Br = o[BACK_BR].given ? o[BACK_BR].size : 0;
    h->Bc = o[BACK_BC].given ? o[BACK_BC].size : 0;
    return 0;
}
