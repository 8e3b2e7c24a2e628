/*
 * What the programs of chapters 04 to 07 accept, what of it does not go together,
 * and the problem that it leads to (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/problem/bundled.h"

#include <limits.h>
#include <string.h>

/* --- The options ----------------------------------------------------------- */

_Static_assert(sizeof(attention_options) == (OPT(end) + 1) * sizeof(option),
               "all of the options, and no more");

static const char *const sweeps[] = {"n", "d", "sram", "br", NULL};
static const char *const types[] = {"bf16", "fp16", NULL};

static precision chosen_type(const option *o)
{
    return o->choice ? FP16 : BF16;
}

static const attention_options every = {
    .backward = FLAG_OPTION("backward", "the gradients of attention"),
    .list = FLAG_OPTION("list", "name, type and idea of each step"),
    .trace = FLAG_OPTION("trace", "4 queries, 4 keys, by hand"),
    .step = CHOICE_OPTION("step", "NAME", NULL, 0, "this step alone:"),
    .q = {OPTION(A_FILE, "q", " Q.npy", "(B, Hq, Nq, d), or fewer leading"),
          .file = BUNDLED_Q},
    .k = {OPTION(A_FILE, "k", " K.npy", "(B, Hk, Nk, d)"), .file = BUNDLED_K},
    .v = {OPTION(A_FILE, "v", " V.npy", "(B, Hk, Nk, dv)"), .file = BUNDLED_V},
    .mask = FILE_OPTION("mask", "M.npy", "(B|1, Hq|1, Nq, Nk), added"),
    .sink = FILE_OPTION("sink", "s", "a logit without a key; or (Hq)"),
    .block_mask =
        FILE_OPTION("block-mask", "B.npy", "0 or 1 a block (Nq / b, Nk / b)"),
    .grad_out =
        FILE_OPTION("grad-out", "dO.npy", "(B, Hq, Nq, dv); else random"),
    .judge_error =
        NUMBER_OPTION("judge-error", "e", 0, "relative error allowed, of:"),
    .judge = FILE_OPTION("judge", "O.npy", "is this output right?"),
    .judge_lse = FILE_OPTION("judge-lse", "L.npy", "and this, of it?"),
    .judge_q = FILE_OPTION("judge-q", "dQ.npy", "is this gradient right?"),
    .judge_k = FILE_OPTION("judge-k", "dK.npy", "is this?"),
    .judge_v = FILE_OPTION("judge-v", "dV.npy", "is this?"),
    .out = FILE_OPTION("out", "O.npy", "to write: (B, Hq, Nq, dv)"),
    .lse = FILE_OPTION("lse", "L.npy", "to write: (B, Hq, Nq)"),
    .grad_q = FILE_OPTION("grad-q", "dQ.npy", "to write: as Q"),
    .grad_k = FILE_OPTION("grad-k", "dK.npy", "to write: as K"),
    .grad_v = FILE_OPTION("grad-v", "dV.npy", "to write: as V"),
    .scale = NUMBER_OPTION("scale", "s", 0, "in place of 1/sqrt(d)"),
    .causal = FLAG_OPTION("causal", "keys j <= i + Nk - Nq only"),
    .causal_offset =
        INTEGER_OPTION("causal-offset", "o", 0, "keys j <= i + o only"),
    .window = SIZE_OPTION("window", "W", 1, 0,
                          "keys |i + Nk - Nq (or o) - j| < W only"),
    .alibi = FLAG_OPTION("alibi", "- 2^(-8 h / Hq) |i + Nk - Nq - j|"),
    .block_size = SIZE_OPTION("block-size", "b", 1, 64, "of --block-mask (64)"),
    .softcap = NUMBER_OPTION("softcap", "c", 0, "c tanh(score / c)"),
    .kv_type =
        CHOICE_OPTION("kv-type", "TYPE", types, 0, "K and V in 16 bits of:"),
    .br = SIZE_OPTION("br", "n", 1, 0, "queries per tile, with --bc"),
    .bc = SIZE_OPTION("bc", "n", 1, 0, "keys per tile; M is unbounded"),
    .sram = SIZE_OPTION("sram", "M", 1, USUAL_M,
                        "elements on chip (8192); tiles follow"),
    .batch = SIZE_OPTION("batch", "B", 0, 1, "of a random problem"),
    .heads = SIZE_OPTION("heads", "Hq", 0, 1, "query heads"),
    .kv_heads = SIZE_OPTION("kv-heads", "Hk", 0, 0, "key heads (Hq)"),
    .n = SIZE_OPTION("n", "Nq", 0, 500, "queries (500)"),
    .nk = SIZE_OPTION("nk", "Nk", 0, 0, "keys (Nq)"),
    .d = SIZE_OPTION("d", "d", 1, 32, "of a query and a key (32)"),
    .dv = SIZE_OPTION("dv", "dv", 0, 0, "of a value (d)"),
    .seed = SIZE_OPTION("seed", "S", 0, 1, "of the random numbers"),
    .sweep = CHOICE_OPTION("sweep", "WHAT", sweeps, 0,
                           "up to --n, --d, --sram; or Br : Bc; of:"),
    .csv = FLAG_OPTION("csv", "a line a step (alone: for plots)"),
    .dtype = CHOICE_OPTION("dtype", "TYPE", types, 0,
                           "of the steps that have a choice (bf16):"),
};

void leave_out(attention_options *o, int first, int last)
{
    for (int k = first; k <= last; k++)
        o->all[k].help = NULL;
}

/* What isn't given follows from the rest. */
static random_sizes asked_sizes(const attention_options *o)
{
    return (random_sizes){
        .B = o->batch.size,
        .Hq = o->heads.size,
        .Hk = o->kv_heads.given ? o->kv_heads.size : o->heads.size,
        .Nq = o->n.size,
        .Nk = o->nk.given ? o->nk.size : o->n.size,
        .d = o->d.size,
        .dv = o->dv.given ? o->dv.size : o->d.size,
        .seed = o->seed.size,
    };
}

/* --- The steps ------------------------------------------------------------- */

static void list_steps(request *r)
{
    const way *w = r->way;
    const attention_step *const *before = w->before, *own, *also = w->also;

    r->type = chosen_type(&r->o.dtype);
    own = w->own_in ? w->own_in(r->type) : w->own;
    for (r->n = 0; before && before[r->n]; r->n++)
        r->steps[r->n] = before[r->n];
    for (r->own = r->n; own && own->name; own++)
        r->steps[r->n++] = own;
    for (r->also = r->n; also && also->name; also++)
        r->steps[r->n++] = also;
    for (size_t k = 0; k < r->n; k++)
        r->names[k] = r->steps[k]->name;
}

static void declare(request *r)
{
    static const char *const sweeps_back[] = {"n", "d", "sram", NULL};
    static const char *const sizes[] = {"n", "d", NULL};
    attention_options *o = &r->o;

    *o = every;
    o->step.choices = r->names;
    if (r->back) {
        leave_out(o, OPT(out), OPT(lse));
        leave_out(o, OPT(judge), OPT(judge_lse));
        leave_out(o, OPT(kv_type), OPT(kv_type));
        o->sweep.choices = sweeps_back;
        o->sweep.help = "up to --n, --d or --sram; of:";
    } else {
        leave_out(o, OPT(backward), OPT(backward));
        leave_out(o, OPT(grad_out), OPT(grad_out));
        leave_out(o, OPT(judge_q), OPT(judge_v));
        leave_out(o, OPT(grad_q), OPT(grad_v));
    }
    if (r->way->own_in)
        leave_out(o, OPT(kv_type), OPT(kv_type));
    else
        leave_out(o, OPT(dtype), OPT(dtype));
    if (r->way->tables && !r->back)
        leave_out(o, OPT(br), OPT(sram));
    if (r->way->options)
        r->way->options(o);
    if (!o->sram.help && o->sweep.help) {
        o->sweep.choices = sizes;
        o->sweep.help = "up to --n or --d; of:";
    }
}

/* --- What does not go together -------------------------------------------- */

#define ONE(name) OPT(name), OPT(name)

static const option_rule rules[] = {
    {OPT(list), OPT(trace), NOT_WITH, OPT(list), OPT(csv)},
    {ONE(block_size), ONLY_WITH, ONE(block_mask)},
    {ONE(causal), NOT_WITH, ONE(causal_offset)},
    {ONE(sweep), ONLY_WITH, ONE(csv)},
    {OPT(out), OPT(grad_v), NOT_WITH, OPT(judge), OPT(judge_v)},
    {OPT(sweep), OPT(csv), NOT_WITH, OPT(judge), OPT(judge_v)},
    {ONE(judge_lse), ONLY_WITH, ONE(judge)},
    {ONE(judge_error), ONLY_WITH, OPT(judge), OPT(judge_v)},
    {ONE(csv), NOT_WITH, OPT(out), OPT(grad_v)},
    {ONE(lse), ONLY_WITH, ONE(out)},
    {ONE(sweep), NOT_WITH, ONE(grad_out)},
    {OPT(batch), OPT(seed), NOT_WITH, OPT(q), OPT(v)},
    {0},
};
static int not_with(const option *a, const option *b)
{
    return a->given && b->given
               ? refused(2, a->name, "not together with %s", b->name)
               : 0;
}

static int check_sweep(const request *r)
{
    const attention_options *o = &r->o;
    const option *s = &o->sweep;

    if (!s->given)
        return 0;
    if (s->choice >= SWEEP_SRAM)
        return not_with(s, &o->br) || not_with(s, &o->bc);
    if (r->files)
        return refused(2, s->name, "%s is fixed by --q (%s allowed)",
                       s->choices[s->choice],
                       !s->choices[SWEEP_SRAM] ? "no sweep is"
                       : s->choices[SWEEP_BR]  ? "sram or br are"
                                               : "sram is");
    return s->choice == SWEEP_N &&
           (not_with(s, &o->mask) || not_with(s, &o->block_mask));
}

static int check_problem(const request *r)
{
    const attention_options *o = &r->o;
    const option *cap = &o->softcap, *where = &o->causal_offset;
    const long far = LONG_MAX / 4; /* as rule.c has it */

    if (o->alibi.given && (where->integer < -far || where->integer > far))
        return refused(
            2, where->name,
            "%ld is too far for --alibi (from %ld to %ld are allowed)",
            where->integer, -far, far);
    if (cap->given && !(cap->number > 0))
        return refused(2, cap->name, "%g is not above 0", (double)cap->number);
    for (int k = OPT(q); r->files && k <= OPT(v); k++)
        if (!o->all[k].given)
            return refused(2, o->all[k].name,
                           "is missing (--q, --k and --v go together)");
    return 0;
}

/* What not every step has, --step's may lack; without --step each backward step
 * takes what some of its steps take. */
static int check_memory(const request *r)
{
    const attention_step *s = r->steps[r->step];
    const attention_options *o = &r->o;
    const option *br = &o->br, *bc = &o->bc;
    bool all = r->back && !o->step.given;
    bool tiled = all || s->tiles;
    bool counted = all || s->formula || s->back_formula;

    if (br->given && r->way->one_query)
        return refused(2, br->name,
                       "one query at a time here (--bc alone is allowed)");
    if (br->given != bc->given && !r->way->one_query)
        return refused(2, br->given ? br->name : bc->name,
                       "only together with %s",
                       br->given ? bc->name : br->name);
    if (bc->given && !tiled)
        return refused(2, bc->name, "%s has no tiles to choose", s->name);
    if (o->sram.given && !tiled && !counted)
        return refused(2, o->sram.name, "%s counts no traffic", s->name);
    return not_with(bc, &o->sram);
}

/* --dtype is for the steps that are not the same in both types. */
static int check_type(const request *r)
{
    const attention_step *step = r->steps[r->step];
    size_t nth = r->step - r->own;

    if (!r->o.dtype.given || !r->o.step.given ||
        r->way->own_in(BF16)[nth].type != r->way->own_in(FP16)[nth].type)
        return 0;
    return refused(2, r->o.dtype.name, "%s computes in %s and has no choice",
                   step->name, precision_name(step->type));
}

static int check(const request *r)
{
    const option *all = r->o.all;

    if (options_obey(all, rules) || check_problem(r) || check_sweep(r) ||
        check_memory(r) || check_type(r))
        return 2;
    return outputs_check(all + OPT(q), OPT(out) - OPT(q),
                         OPT(grad_v) - OPT(out) + 1);
}

bool request_read(request *r, const way *asked, int argc, char **argv,
                  int *status)
{
    attention_options *o = &r->o;

    *r = (request){.way = asked, .back = asked->own && is_backward(asked->own)};
    list_steps(r);
    declare(r);
    if (!options_parse(o->all, asked->about, asked->example, argc, argv,
                       status))
        return false;
    list_steps(r); /* of the type asked for */
    r->bare = !options_given(o->all, OPT(list), OPT(sweep));
    r->files = options_given(o->all, OPT(q), OPT(v));
    r->random = options_given(o->all, OPT(batch), OPT(sweep));
    r->sizes = asked_sizes(o);
    r->step = o->step.given ? o->step.choice : r->own + asked->reading;
    r->M = asked->tables && !r->back ? 0
           : o->bc.given             ? MEMORY_UNBOUNDED
                                     : o->sram.size;
    *status = check(r);
    return *status == 0;
}

/* --- The problem ----------------------------------------------------------- */

static void settle(const attention_options *o, layer *l)
{
    head *h = &l->each;

    h->scale = o->scale.given ? o->scale.number : h->scale;
    h->rule.softcap = o->softcap.number;
    h->rule.causal = o->causal.given || o->causal_offset.given;
    h->rule.offset = o->causal_offset.given ? o->causal_offset.integer
                                            : (long)h->Nk - (long)h->Nq;
    h->rule.window = o->window.size;
    l->alibi = o->alibi.given;
    h->tile.Br = o->br.size;
    h->tile.Bc = o->bc.size;
}

int request_problem(const request *r, const random_sizes *sizes,
                    backward_layer *b)
{
    const attention_options *o = &r->o;
    attention_arrays *a = &b->forward;
    precision type = o->kv_type.given ? chosen_type(&o->kv_type) : FP32;
    int status;

    memset(b, 0, sizeof *b);
    status = r->files ? arrays_read(a, type, o->q.file, o->k.file, o->v.file)
             : sizes  ? arrays_random(a, sizes)
                      : arrays_bundled(a);

    if (status == 0 && type != FP32)
        status = arrays_narrow(a, type);
    if (status == 0 && o->mask.given)
        status = arrays_read_mask(a, o->mask.file);
    if (status == 0 && o->sink.given)
        status = arrays_read_sink(a, o->sink.file);
    if (status == 0 && o->block_mask.given)
        status = arrays_read_blocks(a, o->block_mask.file, o->block_size.size);
    if (status == 0)
        settle(o, &a->layer);
    if (status == 0 && r->back)
        status = backward_arrays(b, o->grad_out.file);
    return status;
}
