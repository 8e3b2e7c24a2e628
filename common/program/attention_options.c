/*
 * What the programs of chapters 04 to 06 accept (attention_options.h).
 */
#include "common/program/attention_options.h"

#include "common/problem/bundled.h"
#include "common/program/outputs.h"

#include <stdio.h>
#include <string.h>

const char *const sweep_names[] = {"n", "d", "sram", "br", NULL};
static const char *const types[] = {"bf16", "fp16", NULL};

/* Returns 0, or 1 after one line on stderr if there is no room for them. */
static int list_steps(request *r)
{
    const attention_chapter *c = r->chapter;
    size_t n = 0;

    r->type = r->o[OPT_DTYPE].choice ? FP16 : BF16;
    r->own_steps = c->own_in ? c->own_in(r->type) : c->own;
    r->own = 0;
    while (c->before[r->own])
        r->own++;
    while (r->own_steps[n].name)
        n++;
    if (r->own + n > MOST_STEPS) {
        fprintf(stderr, "request_read: %zu steps, and room for %d\n",
                r->own + n, MOST_STEPS);
        return 1;
    }
    for (size_t k = 0; k < r->own + n; k++) {
        r->steps[k] = k < r->own ? c->before[k] : &r->own_steps[k - r->own];
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
        [OPT_SOFTCAP] = NUMBER_OPTION("softcap", "c", 0, "c tanh(score / c)"),
        [OPT_BR] = SIZE_OPTION("br", "n", 1, 0, "queries a tile, with --bc"),
        [OPT_BC] = SIZE_OPTION("bc", "n", 1, 0, "keys a tile; M is unbounded"),
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
        [OPT_SWEEP] = CHOICE_OPTION("sweep", "WHAT", sweep_names, 0,
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

bool request_has_files(const request *r)
{
    return options_given(r->o, OPT_Q, OPT_V) != NULL;
}

bool request_is_random(const request *r)
{
    return options_given(r->o, OPT_BATCH, OPT_SWEEP) != NULL;
}

size_t request_step(const request *r)
{
    return r->o[OPT_STEP].given ? r->o[OPT_STEP].choice
                                : r->own + r->chapter->reading;
}

size_t request_M(const request *r)
{
    if (r->chapter->tables)
        return 0;
    return r->o[OPT_BC].given ? MEMORY_UNBOUNDED : r->o[OPT_SRAM].size;
}

random_sizes request_sizes(const request *r)
{
    const option *o = r->o;
    size_t Hq = o[OPT_HEADS].size, Nq = o[OPT_N].size, d = o[OPT_D].size;

    return (random_sizes){
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
    *status = 2;
    list_steps(r);
    if (request_check(r) != 0)
        return false;
    r->bare = !options_given(r->o, 0, OPT_CSV - 1);
    *status = outputs_check(&r->o[OPT_Q], OPT_OUT - OPT_Q, 2);
    return *status == 0;
}
