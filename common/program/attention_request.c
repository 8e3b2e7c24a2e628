/*
 * What the programs of chapters 04 to 07 accept, what of it does not go together,
 * and the problem that it leads to (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/problem/bundled.h"

#include <limits.h>
#include <string.h>

/* --- The options ----------------------------------------------------------- */

static const char *const sweeps[] = {"n", "d", "sram", "br", NULL};
static const char *const types[] = {"bf16", "fp16", NULL};

static precision chosen_type(const option *o)
{
    return o->choice ? FP16 : BF16;
}

static const option every[OPTIONS + 1] = {
    [OPT_BACKWARD] = FLAG_OPTION("backward", "the gradients of attention"),
    [OPT_LIST] = FLAG_OPTION("list", "name, type and idea of each step"),
    [OPT_TRACE] = FLAG_OPTION("trace", "4 queries, 4 keys, by hand"),
    [OPT_STEP] = CHOICE_OPTION("step", "NAME", NULL, 0, "this step alone:"),
    [OPT_Q] = {OPTION(A_FILE, "q", "Q.npy", "(B, Hq, Nq, d), or fewer leading"),
               .file = BUNDLED_Q},
    [OPT_K] = {OPTION(A_FILE, "k", "K.npy", "(B, Hk, Nk, d)"),
               .file = BUNDLED_K},
    [OPT_V] = {OPTION(A_FILE, "v", "V.npy", "(B, Hk, Nk, dv)"),
               .file = BUNDLED_V},
    [OPT_MASK] = FILE_OPTION("mask", "M.npy", "(B|1, Hq|1, Nq, Nk), added"),
    [OPT_SINK] = FILE_OPTION("sink", "s", "a logit without a key; or (Hq)"),
    [OPT_BLOCK_MASK] =
        FILE_OPTION("block-mask", "B.npy", "0 or 1 a block (Nq / b, Nk / b)"),
    [OPT_GRAD_OUT] =
        FILE_OPTION("grad-out", "dO.npy", "(B, Hq, Nq, dv); else random"),
    [OPT_JUDGE_ERROR] =
        NUMBER_OPTION("judge-error", "e", 0, "so far it may be off, of:"),
    [OPT_JUDGE] = FILE_OPTION("judge", "O.npy", "is this output right?"),
    [OPT_JUDGE_LSE] = FILE_OPTION("judge-lse", "L.npy", "and this, of it?"),
    [OPT_JUDGE_Q] = FILE_OPTION("judge-q", "dQ.npy", "is this gradient right?"),
    [OPT_JUDGE_K] = FILE_OPTION("judge-k", "dK.npy", "is this?"),
    [OPT_JUDGE_V] = FILE_OPTION("judge-v", "dV.npy", "is this?"),
    [OPT_OUT] = FILE_OPTION("out", "O.npy", "to write: (B, Hq, Nq, dv)"),
    [OPT_LSE] = FILE_OPTION("lse", "L.npy", "to write: (B, Hq, Nq)"),
    [OPT_GRAD_Q] = FILE_OPTION("grad-q", "dQ.npy", "to write: as Q"),
    [OPT_GRAD_K] = FILE_OPTION("grad-k", "dK.npy", "to write: as K"),
    [OPT_GRAD_V] = FILE_OPTION("grad-v", "dV.npy", "to write: as V"),
    [OPT_SCALE] = NUMBER_OPTION("scale", "s", 0, "in place of 1/sqrt(d)"),
    [OPT_CAUSAL] = FLAG_OPTION("causal", "keys j <= i + Nk - Nq only"),
    [OPT_CAUSAL_OFFSET] =
        INTEGER_OPTION("causal-offset", "o", 0, "keys j <= i + o only"),
    [OPT_WINDOW] = SIZE_OPTION("window", "W", 1, 0,
                               "keys |i + Nk - Nq (or o) - j| < W only"),
    [OPT_ALIBI] = FLAG_OPTION("alibi", "- 2^(-8 h / Hq) |i + Nk - Nq - j|"),
    [OPT_BLOCK_SIZE] =
        SIZE_OPTION("block-size", "b", 1, 64, "of --block-mask (64)"),
    [OPT_SOFTCAP] = NUMBER_OPTION("softcap", "c", 0, "c tanh(score / c)"),
    [OPT_KV_TYPE] =
        CHOICE_OPTION("kv-type", "TYPE", types, 0, "K and V in 16 bits of:"),
    [OPT_BR] = SIZE_OPTION("br", "n", 1, 0, "queries per tile, with --bc"),
    [OPT_BC] = SIZE_OPTION("bc", "n", 1, 0, "keys per tile; M is unbounded"),
    [OPT_SRAM] = SIZE_OPTION("sram", "M", 1, USUAL_M,
                             "elements on chip (8192); tiles follow"),
    [OPT_BATCH] = SIZE_OPTION("batch", "B", 0, 1, "of a random problem"),
    [OPT_HEADS] = SIZE_OPTION("heads", "Hq", 0, 1, "query heads"),
    [OPT_KV_HEADS] = SIZE_OPTION("kv-heads", "Hk", 0, 0, "key heads (Hq)"),
    [OPT_N] = SIZE_OPTION("n", "Nq", 0, 500, "queries (500)"),
    [OPT_NK] = SIZE_OPTION("nk", "Nk", 0, 0, "keys (Nq)"),
    [OPT_D] = SIZE_OPTION("d", "d", 1, 32, "of a query and a key (32)"),
    [OPT_DV] = SIZE_OPTION("dv", "dv", 0, 0, "of a value (d)"),
    [OPT_SEED] = SIZE_OPTION("seed", "S", 0, 1, "of the random numbers"),
    [OPT_SWEEP] = CHOICE_OPTION("sweep", "WHAT", sweeps, 0,
                                "up to --n, --d, --sram; or Br : Bc; of:"),
    [OPT_CSV] = FLAG_OPTION("csv", "a line a step (alone: for plots)"),
    [OPT_DTYPE] = CHOICE_OPTION("dtype", "TYPE", types, 0,
                                "of the steps that have a choice (bf16):"),
};

void leave_out(option o[], int first, int last)
{
    for (int k = first; k <= last; k++)
        o[k].help = NULL;
}

/* What is given, or else what it follows from. */
static size_t size_or(const option *o, size_t other)
{
    return o->given ? o->size : other;
}

static random_sizes asked_sizes(const option o[])
{
    size_t Hq = o[OPT_HEADS].size, Nq = o[OPT_N].size, d = o[OPT_D].size;

    return (random_sizes){
        .B = o[OPT_BATCH].size,
        .Hq = Hq,
        .Hk = size_or(&o[OPT_KV_HEADS], Hq),
        .Nq = Nq,
        .Nk = size_or(&o[OPT_NK], Nq),
        .d = d,
        .dv = size_or(&o[OPT_DV], d),
        .seed = o[OPT_SEED].size,
    };
}

/* --- The steps ------------------------------------------------------------- */

static void add_step(request *r, const attention_step *s)
{
    if (r->n < MOST_STEPS) {
        r->steps[r->n] = s;
        r->names[r->n++] = s->name;
    }
}

static void add_steps(request *r, const attention_step *s)
{
    for (; s && s->name; s++)
        add_step(r, s);
}

static void list_steps(request *r)
{
    const way *w = r->way;
    const attention_step *const *before = w->before;

    r->type = chosen_type(&r->o[OPT_DTYPE]);
    r->n = 0;
    for (; before && *before; before++)
        add_step(r, *before);
    r->own = r->n;
    add_steps(r, w->own_in ? w->own_in(r->type) : w->own);
    r->also = r->n;
    add_steps(r, w->also);
}

static void declare(request *r)
{
    static const char *const sweeps_back[] = {"n", "d", "sram", NULL};
    option *o = r->o;

    memcpy(o, every, sizeof every);
    o[OPT_STEP].choices = r->names;
    if (r->back) {
        leave_out(o, OPT_OUT, OPT_LSE);
        leave_out(o, OPT_JUDGE, OPT_JUDGE_LSE);
        leave_out(o, OPT_KV_TYPE, OPT_KV_TYPE);
        o[OPT_SWEEP].choices = sweeps_back;
        o[OPT_SWEEP].help = "up to --n, --d or --sram; of:";
    } else {
        leave_out(o, OPT_BACKWARD, OPT_BACKWARD);
        leave_out(o, OPT_GRAD_OUT, OPT_GRAD_OUT);
        leave_out(o, OPT_JUDGE_Q, OPT_JUDGE_V);
        leave_out(o, OPT_GRAD_Q, OPT_GRAD_V);
    }
    if (r->way->own_in)
        leave_out(o, OPT_KV_TYPE, OPT_KV_TYPE);
    else
        leave_out(o, OPT_DTYPE, OPT_DTYPE);
    if (r->way->options)
        r->way->options(o);
}

/* --- What does not go together -------------------------------------------- */

static const option_rule rules[] = {
    {OPT_LIST, OPT_TRACE, NOT_WITH, OPT_LIST, OPT_CSV},
    {OPT_BLOCK_SIZE, OPT_BLOCK_SIZE, ONLY_WITH, OPT_BLOCK_MASK, OPT_BLOCK_MASK},
    {OPT_CAUSAL, OPT_CAUSAL, NOT_WITH, OPT_CAUSAL_OFFSET, OPT_CAUSAL_OFFSET},
    {OPT_SWEEP, OPT_SWEEP, ONLY_WITH, OPT_CSV, OPT_CSV},
    {OPT_OUT, OPT_GRAD_V, NOT_WITH, OPT_JUDGE, OPT_JUDGE_V},
    {OPT_SWEEP, OPT_CSV, NOT_WITH, OPT_JUDGE, OPT_JUDGE_V},
    {OPT_JUDGE_LSE, OPT_JUDGE_LSE, ONLY_WITH, OPT_JUDGE, OPT_JUDGE},
    {OPT_JUDGE_ERROR, OPT_JUDGE_ERROR, ONLY_WITH, OPT_JUDGE, OPT_JUDGE_V},
    {OPT_CSV, OPT_CSV, NOT_WITH, OPT_OUT, OPT_GRAD_V},
    {OPT_LSE, OPT_LSE, ONLY_WITH, OPT_OUT, OPT_OUT},
    {OPT_SWEEP, OPT_SWEEP, NOT_WITH, OPT_GRAD_OUT, OPT_GRAD_OUT},
    {OPT_BATCH, OPT_SEED, NOT_WITH, OPT_Q, OPT_V},
};
/* Of a sweep over sizes, and of one over tiles. */
static const option_rule rules_of_n[] = {
    {OPT_SWEEP, OPT_SWEEP, NOT_WITH, OPT_MASK, OPT_MASK},
    {OPT_SWEEP, OPT_SWEEP, NOT_WITH, OPT_BLOCK_MASK, OPT_BLOCK_MASK},
};
static const option_rule rules_of_tiles[] = {
    {OPT_SWEEP, OPT_SWEEP, NOT_WITH, OPT_BR, OPT_BC},
};
/* After what a step does not have. */
static const option_rule rules_of_M[] = {
    {OPT_BC, OPT_BC, NOT_WITH, OPT_SRAM, OPT_SRAM},
};

static int check_sweep(const request *r)
{
    const option *o = r->o, *s = &o[OPT_SWEEP];

    if (!s->given)
        return 0;
    if (s->choice >= SWEEP_SRAM)
        return OPTIONS_OBEY(o, rules_of_tiles);
    if (r->files)
        return refused(2, s->name, "%s is fixed by --q (%s allowed)",
                       s->choices[s->choice],
                       s->choices[SWEEP_BR] ? "sram or br are" : "sram is");
    return s->choice == SWEEP_N ? OPTIONS_OBEY(o, rules_of_n) : 0;
}

static int check_problem(const request *r)
{
    const option *o = r->o;
    const option *cap = &o[OPT_SOFTCAP], *where = &o[OPT_CAUSAL_OFFSET];
    const long far = LONG_MAX / 4; /* as rule.c has it */

    if (o[OPT_ALIBI].given && (where->integer < -far || where->integer > far))
        return refused(
            2, where->name,
            "%ld is too far for --alibi (from %ld to %ld are allowed)",
            where->integer, -far, far);
    if (cap->given && !(cap->number > 0))
        return refused(2, cap->name, "%g is not above 0", (double)cap->number);
    for (int k = OPT_Q; r->files && k <= OPT_V; k++)
        if (!o[k].given)
            return refused(2, o[k].name,
                           "is missing (--q, --k and --v go "
                           "together)");
    return 0;
}

/* Where the chapter's steps have a machine's memory, there is no M. */
static int check_memory(const request *r)
{
    const option *o = r->o, *s = &o[OPT_SWEEP];

    if (r->M > 0)
        return 0;
    if (o[OPT_SRAM].given)
        return refused(2, o[OPT_SRAM].name,
                       "the chip's memory is not to be chosen here");
    if (s->given && s->choice >= SWEEP_SRAM)
        return refused(2, s->name, "no %s to choose here (n or d are allowed)",
                       s->choices[s->choice]);
    return 0;
}

/* What not every step has, --step's may lack; without --step each backward step
 * takes what some of its steps take. */
static int check_tiles(const request *r)
{
    const attention_step *s = r->steps[r->step];
    const option *o = r->o;
    bool all = r->back && !r->o[OPT_STEP].given;
    bool tiled = all || s->tiles;
    bool counted = all || s->formula || s->back_formula;

    if (o[OPT_BR].given && r->way->one_query)
        return refused(2, o[OPT_BR].name,
                       "one query at a time here (--bc "
                       "alone is allowed)");
    for (int k = OPT_BR; k <= OPT_BC && !r->way->one_query; k++)
        if (o[k].given && !o[OPT_BR + OPT_BC - k].given)
            return refused(2, o[k].name, "only together with %s",
                           o[OPT_BR + OPT_BC - k].name);
    if (o[OPT_BC].given && !tiled)
        return refused(2, o[OPT_BC].name, "%s has no tiles to choose",
                       r->names[r->step]);
    if (o[OPT_SRAM].given && !tiled && !counted)
        return refused(2, o[OPT_SRAM].name, "%s counts no traffic",
                       r->names[r->step]);
    return OPTIONS_OBEY(o, rules_of_M);
}

/* --dtype is for the steps that are not the same in both types. */
static int check_type(const request *r)
{
    const attention_step *step = r->steps[r->step];
    size_t nth = r->step - r->own;

    if (!r->o[OPT_DTYPE].given || !r->o[OPT_STEP].given ||
        r->way->own_in(BF16)[nth].type != r->way->own_in(FP16)[nth].type)
        return 0;
    return refused(2, r->o[OPT_DTYPE].name,
                   "%s computes in %s and has no choice", step->name,
                   precision_name(step->type));
}

static int check(const request *r)
{
    if (OPTIONS_OBEY(r->o, rules) || check_problem(r) || check_sweep(r) ||
        check_memory(r) || check_tiles(r) || check_type(r))
        return 2;
    return outputs_check(&r->o[OPT_Q], OPT_OUT - OPT_Q,
                         OPT_GRAD_V - OPT_OUT + 1);
}

bool request_read(request *r, const way *asked, int argc, char **argv,
                  int *status)
{
    option *o = r->o;

    *r = (request){.way = asked, .back = asked->own && is_backward(asked->own)};
    list_steps(r);
    declare(r);
    if (!options_parse(o, asked->about, asked->example, argc, argv, status))
        return false;
    list_steps(r); /* of the type asked for */
    r->bare = !options_given(o, OPT_LIST, OPT_SWEEP);
    r->files = options_given(o, OPT_Q, OPT_V);
    r->random = options_given(o, OPT_BATCH, OPT_SWEEP);
    r->sizes = asked_sizes(o);
    r->step = o[OPT_STEP].given ? o[OPT_STEP].choice : r->own + asked->reading;
    r->M = asked->tables && !r->back ? 0
           : o[OPT_BC].given         ? MEMORY_UNBOUNDED
                                     : o[OPT_SRAM].size;
    *status = check(r);
    return *status == 0;
}

/* --- The problem ----------------------------------------------------------- */

static void settle(const option o[], layer *l)
{
    head *h = &l->each;

    h->scale = o[OPT_SCALE].given ? o[OPT_SCALE].number : h->scale;
    h->rule.softcap = o[OPT_SOFTCAP].number;
    h->rule.causal = o[OPT_CAUSAL].given || o[OPT_CAUSAL_OFFSET].given;
    h->rule.offset = o[OPT_CAUSAL_OFFSET].given ? o[OPT_CAUSAL_OFFSET].integer
                                                : (long)h->Nk - (long)h->Nq;
    h->rule.window = o[OPT_WINDOW].size;
    l->alibi = o[OPT_ALIBI].given;
    h->tile.Br = o[OPT_BR].size;
    h->tile.Bc = o[OPT_BC].size;
}

int request_problem(const request *r, const random_sizes *sizes,
                    backward_layer *b)
{
    const option *o = r->o;
    attention_arrays *a = &b->forward;
    precision type = FP32;
    int status;

    if (o[OPT_KV_TYPE].given)
        type = chosen_type(&o[OPT_KV_TYPE]);
    memset(b, 0, sizeof *b);
    status = r->files ? arrays_read(a, type, o[OPT_Q].file, o[OPT_K].file,
                                    o[OPT_V].file)
             : sizes  ? arrays_random(a, sizes)
                      : arrays_bundled(a);

    if (status == 0 && type != FP32)
        status = arrays_narrow(a, type);
    if (status == 0 && o[OPT_MASK].given)
        status = arrays_read_mask(a, o[OPT_MASK].file);
    if (status == 0 && o[OPT_SINK].given)
        status = arrays_read_sink(a, o[OPT_SINK].file);
    if (status == 0 && o[OPT_BLOCK_MASK].given)
        status = arrays_read_blocks(a, o[OPT_BLOCK_MASK].file,
                                    o[OPT_BLOCK_SIZE].size);
    if (status == 0)
        settle(o, &a->layer);
    if (status == 0 && r->back)
        status = backward_arrays(b, o[OPT_GRAD_OUT].file);
    return status;
}
