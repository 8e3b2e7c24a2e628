/*
 * What the programs of chapters 04 to 06 accept, what of that does not go
 * together, and the problem that is asked for (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/problem/bundled.h"

#include <string.h>

static const char *const sweeps[] = {"n", "d", "sram", "br", NULL};
static const char *const types[] = {"bf16", "fp16", NULL};

static size_t steps_in(const attention_step *s)
{
    size_t n = 0;

    while (s && s[n].name)
        n++;
    return n;
}

/* Returns 0, or 1 after one line on stderr if there is no room for them. */
static int list_steps(request *r)
{
    const attention_chapter *c = r->chapter;
    size_t n;

    r->type = r->o[OPT_DTYPE].choice ? FP16 : BF16;
    r->own_steps = c->own_in ? c->own_in(r->type) : c->own;
    for (r->own = 0; c->before[r->own];)
        r->own++;
    r->also = r->own + steps_in(r->own_steps);
    n = r->also + steps_in(c->also);
    if (n > MOST_STEPS) {
        fprintf(stderr, "request_read: %zu steps, and room for %d\n", n,
                MOST_STEPS);
        return 1;
    }
    for (size_t k = 0; k < n; k++) {
        r->steps[k] = k < r->own    ? c->before[k]
                      : k < r->also ? &r->own_steps[k - r->own]
                                    : &c->also[k - r->also];
        r->names[k] = r->steps[k]->name;
    }
    return 0;
}

static void declare(request *r)
{
    const option table[OPTIONS + 1] = {
        [OPT_LIST] = FLAG_OPTION("list", "name, type and idea of each step"),
        [OPT_TRACE] = FLAG_OPTION("trace", "4 queries, 4 keys, by hand"),
        [OPT_STEP] = CHOICE_OPTION("step", "NAME", NULL, 0, "this step alone:"),
        [OPT_Q] = FILE_OPTION("q", "Q.npy", "(B, Hq, Nq, d), or fewer leading"),
        [OPT_K] = FILE_OPTION("k", "K.npy", "(B, Hk, Nk, d)"),
        [OPT_V] = FILE_OPTION("v", "V.npy", "(B, Hk, Nk, dv)"),
        [OPT_MASK] = FILE_OPTION("mask", "M.npy", "(B|1, Hq|1, Nq, Nk), added"),
        [OPT_OUT] = FILE_OPTION("out", "O.npy", "to write: (B, Hq, Nq, dv)"),
        [OPT_LSE] = FILE_OPTION("lse", "L.npy", "to write: (B, Hq, Nq)"),
        [OPT_SCALE] = NUMBER_OPTION("scale", "s", 0, "in place of 1/sqrt(d)"),
        [OPT_CAUSAL] = FLAG_OPTION("causal", "keys j <= i + Nk - Nq only"),
        [OPT_CAUSAL_OFFSET] =
            INTEGER_OPTION("causal-offset", "o", 0, "keys j <= i + o only"),
        [OPT_WINDOW] = SIZE_OPTION("window", "W", 1, 0,
                                   "keys |i + Nk - Nq (or o) - j| < W only"),
        [OPT_ALIBI] = FLAG_OPTION("alibi", "- 2^(-8 h / Hq) |i + Nk - Nq - j|"),
        [OPT_SOFTCAP] = NUMBER_OPTION("softcap", "c", 0, "c tanh(score / c)"),
        [OPT_BR] = SIZE_OPTION("br", "n", 1, 0, "queries per tile, with --bc"),
        [OPT_BC] =
            SIZE_OPTION("bc", "n", 1, 0, "keys per tile; M is unbounded"),
        [OPT_SRAM] = SIZE_OPTION("sram", "M", 1, 8192,
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

    memcpy(r->o, table, sizeof table);
    r->o[OPT_Q].file = BUNDLED_Q;
    r->o[OPT_K].file = BUNDLED_K;
    r->o[OPT_V].file = BUNDLED_V;
    r->o[OPT_STEP].choices = r->names;
    if (!r->chapter->own_in)
        r->o[OPT_DTYPE] = (option){0}; /* the table ends before it */
}

static void conclude(request *r)
{
    const option *o = r->o;
    size_t Hq = o[OPT_HEADS].size, Nq = o[OPT_N].size, d = o[OPT_D].size;

    r->bare = !options_given(o, 0, OPT_CSV - 1);
    r->from_files = options_given(o, OPT_Q, OPT_V);
    r->random = options_given(o, OPT_BATCH, OPT_SWEEP);
    r->step =
        o[OPT_STEP].given ? o[OPT_STEP].choice : r->own + r->chapter->reading;
    r->M = r->chapter->tables ? 0
           : o[OPT_BC].given  ? MEMORY_UNBOUNDED
                              : o[OPT_SRAM].size;
    r->sizes = (random_sizes){
        .B = o[OPT_BATCH].size,
        .Hq = Hq,
        .Hk = o[OPT_KV_HEADS].given ? o[OPT_KV_HEADS].size : Hq,
        .Nq = Nq,
        .Nk = o[OPT_NK].given ? o[OPT_NK].size : Nq,
        .d = d,
        .dv = o[OPT_DV].given ? o[OPT_DV].size : d,
        .seed = o[OPT_SEED].size,
    };
}

bool request_read(request *r, const attention_chapter *chapter, int argc,
                  char **argv, int *status)
{
    *r = (request){.chapter = chapter};
    *status = list_steps(r);
    if (*status)
        return false;
    declare(r);
    if (!options_parse(r->o, chapter->about, chapter->example, argc, argv,
                       status))
        return false;
    list_steps(r); /* of the type asked for */
    conclude(r);
    *status = request_check(r);
    return *status == 0;
}

static void settle(const request *r, layer *p)
{
    const option *o = r->o;

    if (o[OPT_SCALE].given)
        p->each.scale = o[OPT_SCALE].number;
    p->each.softcap = o[OPT_SOFTCAP].given ? o[OPT_SOFTCAP].number : 0;
    p->each.causal = o[OPT_CAUSAL].given || o[OPT_CAUSAL_OFFSET].given;
    p->each.offset = o[OPT_CAUSAL_OFFSET].given
                         ? o[OPT_CAUSAL_OFFSET].integer
                         : (long)p->each.Nk - (long)p->each.Nq;
    p->each.window = o[OPT_WINDOW].size;
    p->alibi = o[OPT_ALIBI].given;
    p->each.Br = o[OPT_BR].given ? o[OPT_BR].size : 0;
    p->each.Bc = o[OPT_BC].given ? o[OPT_BC].size : 0;
}

int request_problem(const request *r, const random_sizes *sizes,
                    attention_arrays *a)
{
    const option *o = r->o;
    int status;

    if (r->from_files)
        status = arrays_read(a, o[OPT_Q].file, o[OPT_K].file, o[OPT_V].file);
    else if (sizes)
        status = arrays_random(a, sizes);
    else
        status = arrays_bundled(a);
    if (status == 0 && o[OPT_MASK].given)
        status = arrays_read_mask(a, o[OPT_MASK].file);
    if (status == 0)
        settle(r, &a->problem);
    return status;
}
