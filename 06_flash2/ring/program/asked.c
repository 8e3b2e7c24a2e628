/*
 * What ring/'s program accepts (asked.h): ./run's names, as far as they go.
 */
#include "06_flash2/ring/program/asked.h"

#include "06_flash2/ring/together.h"
#include "common/problem/attention_arrays.h"
#include "common/problem/bundled.h"
#include "common/program/outputs.h"

#include <math.h>
#include <string.h>

/* As in ring_steps, and as precision has them. */
static const char *const steps[] = {"gather",  "ring", "zigzag",
                                    "ulysses", "tree", NULL};
static const char *const partials[] = {"fp32", "bf16", "fp16", NULL};

static void declare(option o[ASKED + 1])
{
    const option all[ASKED + 1] = {
        [ASK_LIST] = FLAG_OPTION("list", "name and idea of each step"),
        [ASK_BACKWARD] =
            FLAG_OPTION("backward", "what the gradients send, by ring, zigzag"),
        [ASK_STEP] =
            CHOICE_OPTION("step", "NAME", steps, 1, "this step alone (ring):"),
        [ASK_Q] = FILE_OPTION("q", "Q.npy", "(B, Hq, Nq, d), or fewer leading"),
        [ASK_K] = FILE_OPTION("k", "K.npy", "(B, Hk, Nk, d)"),
        [ASK_V] = FILE_OPTION("v", "V.npy", "(B, Hk, Nk, dv)"),
        [ASK_OUT] = FILE_OPTION("out", "O.npy", "to write: (B, Hq, Nq, dv)"),
        [ASK_LSE] = FILE_OPTION("lse", "L.npy", "to write: (B, Hq, Nq)"),
        [ASK_SCALE] = NUMBER_OPTION("scale", "s", 0, "in place of 1/sqrt(d)"),
        [ASK_CAUSAL] = FLAG_OPTION("causal", "keys j <= i + Nk - Nq only"),
        [ASK_CAUSAL_OFFSET] =
            INTEGER_OPTION("causal-offset", "o", 0, "keys j <= i + o only"),
        [ASK_PARTIALS] = CHOICE_OPTION("partials", "TYPE", partials, 0,
                                       "keep an O not yet whole in (fp32):"),
        [ASK_HEADS] = SIZE_OPTION("heads", "Hq", 0, 8, "of a random problem"),
        [ASK_KV_HEADS] = SIZE_OPTION("kv-heads", "Hk", 0, 0, "key heads (Hq)"),
        [ASK_N] = SIZE_OPTION("n", "Nq", 0, 512, "queries (512)"),
        [ASK_NK] = SIZE_OPTION("nk", "Nk", 0, 0, "keys (Nq)"),
        [ASK_D] = SIZE_OPTION("d", "d", 1, 32, "of a query and a key (32)"),
        [ASK_DV] = SIZE_OPTION("dv", "dv", 0, 0, "of a value (d)"),
        [ASK_SEED] = SIZE_OPTION("seed", "S", 0, 1, "of the random numbers"),
        [ASK_CSV] = FLAG_OPTION("csv", "a line a step, for plots"),
    };

    memcpy(o, all, sizeof all);
    o[ASK_Q].file = BUNDLED_Q;
    o[ASK_K].file = BUNDLED_K;
    o[ASK_V].file = BUNDLED_V;
}

/* Of a random problem; what is not given follows from what is. */
static random_sizes asked_sizes(const option o[])
{
    size_t Hq = o[ASK_HEADS].size, Nq = o[ASK_N].size, d = o[ASK_D].size;

    return (random_sizes){
        .B = 1,
        .Hq = Hq,
        .Hk = o[ASK_KV_HEADS].given ? o[ASK_KV_HEADS].size : Hq,
        .Nq = Nq,
        .Nk = o[ASK_NK].given ? o[ASK_NK].size : Nq,
        .d = d,
        .dv = o[ASK_DV].given ? o[ASK_DV].size : d,
        .seed = o[ASK_SEED].size,
    };
}

/* What does not go together, or is too large. */
static int check(const option o[])
{
    const option *random = options_given(o, ASK_HEADS, ASK_SEED);
    const random_sizes sizes = asked_sizes(o);

    for (int k = ASK_BACKWARD; k < ASKED; k++)
        if (options_exclude(o, ASK_LIST, k))
            return 2;
    if (options_given(o, ASK_Q, ASK_V)) {
        for (int k = ASK_Q; k <= ASK_V; k++)
            if (!o[k].given)
                return option_refuse(&o[k], "is missing (--q, --k and --v go "
                                            "together)");
        if (random)
            return option_refuse(random, "not together with --q");
        if (!o[ASK_OUT].given && !o[ASK_CSV].given && !o[ASK_BACKWARD].given)
            return option_refuse(&o[ASK_OUT],
                                 "is missing: where is O to go? (or --csv)");
    } else if (!random && bundled_missing())
        return 1;
    if (check_sizes(&sizes) != 0)
        return 2;
    if (o[ASK_LSE].given && !o[ASK_OUT].given)
        return option_refuse(&o[ASK_LSE], "only with --out");
    if (options_exclude(o, ASK_CAUSAL, ASK_CAUSAL_OFFSET) ||
        options_exclude(o, ASK_CSV, ASK_OUT) ||
        options_exclude(o, ASK_BACKWARD, ASK_STEP) ||
        options_exclude(o, ASK_BACKWARD, ASK_OUT) ||
        options_exclude(o, ASK_BACKWARD, ASK_CSV))
        return 2;
    return outputs_check(&o[ASK_Q], INPUTS, 2);
}

bool ask(MPI_Comm comm, int argc, char **argv, option o[ASKED + 1], int *status)
{
    const char *about =
        "Chapter 06 on many machines: attention over the ranks of MPI.";
    const char *example =
        "sh 06_flash2/ring/mpirun.sh 4 build/06_flash2/ring/run --n 1000 \\\n"
        "        --causal --step zigzag --out build/O.npy";
    int r, said[2] = {0, 0}; /* the status; is the program over? */

    MPI_Comm_rank(comm, &r);
    declare(o);
    if (r == 0) { /* the others would all say the same */
        said[1] = !options_parse(o, about, example, argc, argv, &said[0]);
        if (!said[1])
            said[0] = check(o);
        said[1] = said[1] || said[0] != 0;
    }
    MPI_Bcast(said, 2, MPI_INT, 0, comm);
    if (!said[1] && r != 0)
        said[1] = !options_parse(o, about, example, argc, argv, &said[0]);
    *status = said[0];
    return !said[1];
}

static void make_random(const option o[], source *s)
{
    const random_sizes z = asked_sizes(o);

    *s = (source){
        .random = true,
        .seed = z.seed,
        .B = 1,
        .heads = {z.Hq, z.Hk, z.Hk},
        .N = {z.Nq, z.Nk, z.Nk},
        .cols = {z.d, z.d, z.dv},
        .as[OF_Q] = {.dims = 4, .shape = {1, z.Hq, z.Nq, z.d}},
    };
}

int ask_source(MPI_Comm comm, const option o[], source *s, ring_problem *p)
{
    const char *const names[INPUTS] = {o[ASK_Q].file, o[ASK_K].file,
                                       o[ASK_V].file};
    int status = 0;
    long offset;

    if (options_given(o, ASK_HEADS, ASK_SEED))
        make_random(o, s);
    else
        status = source_open(comm, s, names);
    if (status)
        return status;
    offset = o[ASK_CAUSAL].given ? (long)s->N[OF_K] - (long)s->N[OF_Q]
                                 : o[ASK_CAUSAL_OFFSET].integer;
    *p = (ring_problem){
        .Hq = s->heads[OF_Q],
        .Hk = s->heads[OF_K],
        .Nq = s->N[OF_Q],
        .Nk = s->N[OF_K],
        .d = s->cols[OF_Q],
        .dv = s->cols[OF_V],
        .scale = o[ASK_SCALE].given ? o[ASK_SCALE].number
                                    : 1 / sqrtf((float)s->cols[OF_Q]),
        .causal = o[ASK_CAUSAL].given || o[ASK_CAUSAL_OFFSET].given,
        /* Beyond these it changes nothing, but i + offset could wrap. */
        .offset = clamped(offset, -(long)s->N[OF_Q], (long)s->N[OF_K]),
        .with_L = o[ASK_LSE].given,
        .partials = (precision)o[ASK_PARTIALS].choice,
    };
    return 0;
}

const ring_step *ask_step(const option o[])
{
    return &ring_steps[o[ASK_STEP].choice];
}
