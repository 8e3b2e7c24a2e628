#include "tools/flash/user_problem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/flash/flash_steps.h"
#include "common/print/outside.h"

/* --- Options -------------------------------------------------------------- */

static const char *const types[] = {"bf16", "fp16", NULL};

static const option every[] = {
    [OPT_Q] = FILE_OPTION("q", "Q.npy", "(B, Hq, Nq, d); B, Hq optional"),
    [OPT_K] = FILE_OPTION("k", "K.npy", "(B, Hk, Nk, d)"),
    [OPT_V] = FILE_OPTION("v", "V.npy", "(B, Hk, Nk, dv)"),
    [OPT_MASK] = FILE_OPTION("mask", "M.npy", "(B|1, Hq|1, Nq, Nk), added"),
    [OPT_SINK] = FILE_OPTION("sink", "s", "logit without a key, or file (Hq)"),
    [OPT_BLOCK_MASK] = FILE_OPTION("block-mask", "B.npy",
                                   "(Nq / b, Nk / b); only flash2_block_mask"),
    [OPT_BLOCK_SIZE] =
        SIZE_OPTION("block-size", "b", 1, 64, "b of --block-mask (64)"),
    [OPT_SCALE] =
        NUMBER_OPTION("scale", "s", 0, "multiplies scores (1/sqrt(d))"),
    [OPT_CAUSAL] = FLAG_OPTION("causal", "only keys j <= i + Nk - Nq"),
    [OPT_OFFSET] =
        INTEGER_OPTION("causal-offset", "o", 0, "only keys j <= i + o"),
    [OPT_WINDOW] = SIZE_OPTION("window", "W", 1, 0,
                               "only keys |i + Nk - Nq (or o) - j| < W"),
    [OPT_SOFTCAP] =
        NUMBER_OPTION("softcap", "c", 0, "score: c tanh(score / c)"),
    [OPT_ALIBI] =
        FLAG_OPTION("alibi", "- 2^(-8 h / Hq) |i + Nk - Nq (or o) - j|"),
    [OPT_TYPE] = CHOICE_OPTION("type", "TYPE", types, 0,
                               "round Q, K and V to the type:"),
    [OPT_KV_TYPE] = CHOICE_OPTION("kv-type", "TYPE", types, 0,
                                  "round only K and V to the type:"),
    [OPT_BR] = SIZE_OPTION("br", "n", 1, 0, "queries per tile, with --bc"),
    [OPT_BC] = SIZE_OPTION("bc", "n", 1, 0, "keys per tile; M is unbounded"),
    [OPT_SRAM] =
        SIZE_OPTION("sram", "M", 1, USUAL_M, "elements on chip (8192)"),
    [OPT_BATCH] = SIZE_OPTION("batch", "B", 0, 1, "random: batches (1)"),
    [OPT_HEADS] = SIZE_OPTION("heads", "Hq", 0, 1, "random: query heads (1)"),
    [OPT_KV_HEADS] =
        SIZE_OPTION("kv-heads", "Hk", 0, 0, "random: key heads (Hq)"),
    [OPT_N] = SIZE_OPTION("n", "Nq", 0, 500, "random: queries (500)"),
    [OPT_NK] = SIZE_OPTION("nk", "Nk", 0, 0, "random: keys (Nq)"),
    [OPT_D] = SIZE_OPTION("d", "d", 1, 32, "random: columns of Q and K (32)"),
    [OPT_DV] = SIZE_OPTION("dv", "dv", 0, 0, "random: columns of V (d)"),
    [OPT_SEED] = SIZE_OPTION("seed", "S", 0, 1, "random: the seed (1)"),
};

void problem_options(option o[])
{
    memcpy(o, every, sizeof every);
    for (int k = OPT_BR; k <= OPT_SRAM && !steps_have_M; k++)
        o[k].help = NULL;
    if (!steps_have_M)
        o[OPT_TYPE].help = NULL;
}

static const option_rule rules[] = {
    {OPT_BLOCK_SIZE, OPT_BLOCK_SIZE, ONLY_WITH, OPT_BLOCK_MASK, OPT_BLOCK_MASK},
    {OPT_CAUSAL, OPT_CAUSAL, NOT_WITH, OPT_OFFSET, OPT_OFFSET},
    {OPT_BATCH, OPT_SEED, NOT_WITH, OPT_Q, OPT_V},
    {OPT_TYPE, OPT_TYPE, NOT_WITH, OPT_KV_TYPE, OPT_KV_TYPE},
    {OPT_BC, OPT_BC, NOT_WITH, OPT_SRAM, OPT_SRAM},
    {0},
};

int problem_check(const option o[])
{
    const long far = LONG_MAX / 4; /* the limit of common/layer.c */

    if (options_obey(o, rules))
        return 2;
    if (o[OPT_ALIBI].given &&
        (o[OPT_OFFSET].integer < -far || o[OPT_OFFSET].integer > far))
        return refused(
            2, o[OPT_OFFSET].name,
            "%ld is too far for --alibi (from %ld to %ld are allowed)",
            o[OPT_OFFSET].integer, -far, far);
    if (o[OPT_SOFTCAP].given && !(o[OPT_SOFTCAP].number > 0))
        return refused(2, o[OPT_SOFTCAP].name, "%g is not above 0",
                       (double)o[OPT_SOFTCAP].number);
    for (int k = OPT_Q; options_given(o, OPT_Q, OPT_V) && k <= OPT_V; k++)
        if (!o[k].given)
            return refused(2, o[k].name,
                           "is missing (--q, --k and --v go together)");
    return 0;
}

/* True if an option from --batch to --seed selects a random problem. */
static bool is_random(const option o[])
{
    return options_given(o, OPT_BATCH, OPT_SEED);
}

problem_sizes requested_sizes(const option o[])
{
    return (problem_sizes){
        .B = o[OPT_BATCH].size,
        .Hq = o[OPT_HEADS].size,
        .Hk = o[OPT_KV_HEADS].given ? o[OPT_KV_HEADS].size : o[OPT_HEADS].size,
        .Nq = o[OPT_N].size,
        .Nk = o[OPT_NK].given ? o[OPT_NK].size : o[OPT_N].size,
        .d = o[OPT_D].size,
        .dv = o[OPT_DV].given ? o[OPT_DV].size : o[OPT_D].size,
        .seed = o[OPT_SEED].size,
    };
}

/* --- Shapes --------------------------------------------------------------- */

enum { DIMS = 4 };

typedef struct {
    const char *name; /* in messages */
    const npy_array *array;
    size_t shape[DIMS]; /* missing leading dimensions are 1 */
} shaped;

static shaped shape_of(const char *name, const npy_array *of)
{
    shaped a = {name, of, {1, 1, 1, 1}};

    for (size_t k = 0; k < of->dims && of->dims <= DIMS; k++)
        a.shape[DIMS - of->dims + k] = of->shape[k];
    return a;
}

static int refuse(const shaped *a, const char *why)
{
    char text[NPY_SHAPE_MAX];

    return refused(2, a->name, "shape %s (%s)", npy_shape_text(a->array, text),
                   why);
}

static int misfit(const shaped *a, const shaped *b, const char *needed)
{
    char a_text[NPY_SHAPE_MAX], b_text[NPY_SHAPE_MAX];

    return refused(2, a->name, "shape %s does not fit %s %s (%s)",
                   npy_shape_text(a->array, a_text), shown(b->name).text,
                   npy_shape_text(b->array, b_text), needed);
}

static int check_dims(const shaped *a)
{
    if (a->array->dims >= 2 && a->array->dims <= DIMS)
        return 0;
    return refuse(a, "2, 3 or 4 dimensions are allowed");
}

static int check_qkv(const shaped *Q, const shaped *K, const shaped *V)
{
    const shaped *const all[] = {Q, K, V};
    size_t Hq = Q->shape[1], Hk = K->shape[1];

    for (size_t k = 0; k < 3; k++)
        if (check_dims(all[k]) != 0)
            return 2;
    for (size_t k = 1; k < 3; k++) {
        if (all[k]->array->dims != Q->array->dims)
            return misfit(all[k], Q,
                          "Q, K and V need the same number of dimensions");
        if (all[k]->shape[0] != Q->shape[0])
            return misfit(all[k], Q, "the first dimension, B, must be equal");
    }
    if (Q->shape[3] == 0)
        return refuse(Q, "the last dimension, d, must be at least 1");
    if (K->shape[3] != Q->shape[3])
        return misfit(K, Q, "the last dimension, d, must be equal");
    if (V->shape[1] != Hk)
        return misfit(V, K, "K and V need the same number of heads");
    if (V->shape[2] != K->shape[2])
        return misfit(V, K, "the number of rows, Nk, must be equal");
    if (Hk == 0 ? Hq != 0 : Hq % Hk != 0)
        return misfit(K, Q,
                      "Hq must be a multiple of Hk; if the arrays are (B, N, "
                      "H, d), swap axes 1 and 2");
    return check_sizes(&(problem_sizes){
        .B = Q->shape[0],
        .Hq = Hq,
        .Hk = Hk,
        .Nq = Q->shape[2],
        .Nk = K->shape[2],
        .d = Q->shape[3],
        .dv = V->shape[3],
    });
}

static int check_mask(const shaped *mask, const shaped *Q, const shaped *K)
{
    size_t B = mask->shape[0], H = mask->shape[1];

    if (check_dims(mask) != 0)
        return 2;
    if (mask->shape[2] != Q->shape[2])
        return misfit(mask, Q, "a mask must have as many rows as Q");
    if (mask->shape[3] != K->shape[2])
        return misfit(mask, K, "a mask must have a column for each row of K");
    if ((B != 1 && B != Q->shape[0]) || (H != 1 && H != Q->shape[1]))
        return misfit(mask, Q,
                      "leading dimensions of a mask must be those of Q, or 1");
    return 0;
}

/* --- Arrays --------------------------------------------------------------- */

static void narrow_into(uint16_t *to, precision type, npy_array *from, array *a,
                        narrow_copy *n)
{
    n->size += from->size;
    a->type = type;
    a->narrow = to;
    for (size_t i = 0; i < from->size; i++) {
        float x = from->data[i];

        to[i] = to_narrow(type, x);
        from->data[i] = from_narrow(type, to[i]);
        n->rounded += bits_of(x) != bits_of(from->data[i]);
        n->overflowed += isinf(from->data[i]) && !isinf(x);
    }
}

int problem_narrow(problem *p, precision type, bool queries, narrow_copy *n)
{
    head *h = &p->layer.each;
    uint16_t *k, *q;

    *n = (narrow_copy){0};
    n->bits = malloc((p->Q.size + p->K.size + p->V.size + 1) * sizeof *n->bits);
    if (!n->bits)
        return refused(1, "16 bits", "no memory for Q, K and V");
    k = n->bits + p->V.size;
    q = k + p->K.size;
    narrow_into(n->bits, type, &p->V, &h->V, n);
    narrow_into(k, type, &p->K, &h->K, n);
    if (queries)
        narrow_into(q, type, &p->Q, &h->Q, n);
    return 0;
}

static int read_arrays(user_problem *u, const option o[], precision Q_type,
                       precision KV_type)
{
    problem *p = &u->b.forward;
    shaped sQ, sK, sV;
    int status;

    if (npy_read_as(Q_type, o[OPT_Q].file, &p->Q) ||
        npy_read_as(KV_type, o[OPT_K].file, &p->K) ||
        npy_read_as(KV_type, o[OPT_V].file, &p->V))
        return 1;
    sQ = shape_of(o[OPT_Q].file, &p->Q);
    sK = shape_of(o[OPT_K].file, &p->K);
    sV = shape_of(o[OPT_V].file, &p->V);
    status = check_qkv(&sQ, &sK, &sV);
    return status ? status : problem_set_up(p);
}

static int read_mask(user_problem *u, const option o[])
{
    problem *p = &u->b.forward;
    const char *path = o[OPT_MASK].file;
    shaped sQ = shape_of(o[OPT_Q].given ? o[OPT_Q].file : "Q", &p->Q);
    shaped sK = shape_of(o[OPT_K].given ? o[OPT_K].file : "K", &p->K);
    shaped mask;
    int status = npy_read(path, &u->mask);

    if (status != 0)
        return status;
    mask = shape_of(path, &u->mask);
    status = check_mask(&mask, &sQ, &sK);
    if (status != 0)
        return status;
    p->layer.each.rule.mask.hbm =
        matrix_of(u->mask.data, mask.shape[2], mask.shape[3]);
    p->layer.mask_B = mask.shape[0];
    p->layer.mask_H = mask.shape[1];
    return 0;
}

/* --- Rules from files ----------------------------------------------------- */

static int read_sink(user_problem *u, const char *text)
{
    layer *l = &u->b.forward.layer;
    npy_array *sink = &u->sink;
    size_t Hq = l->Hq;
    char shape[NPY_SHAPE_MAX];
    float number;
    bool is_number = number_from(text, &number);
    int status;

    if (!is_number && access(text, F_OK) != 0)
        return refused(2, "--sink",
                       "'%s' is neither a number finite in fp32 (such as 0.125 "
                       "or -2e-3) nor a file",
                       shown(text).text);
    status = is_number ? npy_new(sink, 1, &Hq) : npy_read(text, sink);
    if (status != 0)
        return status;
    if (sink->dims != 1 || sink->size != Hq)
        return refused(2, text, "shape %s (sinks need the shape (Hq))",
                       npy_shape_text(sink, shape));
    for (size_t h = 0; h < Hq; h++) {
        if (is_number)
            sink->data[h] = number;
        if (!isfinite(sink->data[h]))
            return refused(2, "--sink", "%s: %g is not finite in fp32",
                           shown(text).text, (double)sink->data[h]);
    }
    u->b.forward.sinks = sink->data;
    return 0;
}

/* Combines the mask, if any, and the block mask into one additive mask. */
static int join_masks(user_problem *u, size_t size)
{
    const layer *l = &u->b.forward.layer;
    const head *h = &l->each;
    size_t cols = tiles(h->Nk, size), each = h->Nq * h->Nk;
    size_t B = u->mask.data ? l->mask_B : 1, H = u->mask.data ? l->mask_H : 1;
    int status = npy_new(&u->all_masks, 4, (size_t[]){B, H, h->Nq, h->Nk});

    for (size_t k = 0; k < B * H * each && status == 0; k++) {
        size_t i = k % each / h->Nk, j = k % h->Nk;
        float one = u->blocks.data[i / size * cols + j / size];

        u->all_masks.data[k] = one == 0       ? -INFINITY
                               : u->mask.data ? u->mask.data[k]
                                              : 0;
    }
    return status;
}

static int read_blocks(user_problem *u, const char *path, size_t size)
{
    head *h = &u->b.forward.layer.each;
    size_t rows = tiles(h->Nq, size), cols = tiles(h->Nk, size);
    const npy_array *b = &u->blocks;
    int status = npy_read(path, &u->blocks);
    char shape[NPY_SHAPE_MAX];

    if (status != 0)
        return status;
    if (b->dims != 2 || b->shape[0] != rows || b->shape[1] != cols)
        return refused(2, path,
                       "shape %s (%zu queries and %zu keys in blocks of %zu "
                       "need (%zu, %zu))",
                       npy_shape_text(b, shape), h->Nq, h->Nk, size, rows,
                       cols);
    for (size_t k = 0; k < b->size; k++)
        if (b->data[k] != 0 && b->data[k] != 1)
            return refused(2, path,
                           "%g for block (%zu, %zu) (0 and 1 are allowed)",
                           (double)b->data[k], k / cols, k % cols);
    u->block_size = size;
    return join_masks(u, size);
}

/* --- The problem ---------------------------------------------------------- */

static void settle(const option o[], user_problem *u)
{
    layer *l = &u->b.forward.layer;
    head *h = &l->each;
    npy_array *mask = &u->all_masks;

    h->scale = o[OPT_SCALE].given ? o[OPT_SCALE].number : h->scale;
    h->rule.softcap = o[OPT_SOFTCAP].number;
    h->rule.causal = o[OPT_CAUSAL].given || o[OPT_OFFSET].given;
    h->rule.offset =
        o[OPT_OFFSET].given ? o[OPT_OFFSET].integer : (long)h->Nk - (long)h->Nq;
    h->rule.window = o[OPT_WINDOW].size;
    l->alibi = o[OPT_ALIBI].given;
    h->tile.Br = o[OPT_BR].size;
    h->tile.Bc = o[OPT_BC].size;
    if (!mask->data)
        return;
    u->masked = *l;
    u->masked.mask_B = mask->shape[0];
    u->masked.mask_H = mask->shape[1];
    u->masked.each.rule.mask = hbm_of(mask->data, h->Nq, h->Nk);
    u->b.forward.truth_of = &u->masked;
}

int user_problem_of(user_problem *u, const option o[],
                    const problem_sizes *sizes)
{
    problem *p = &u->b.forward;
    const option *given = options_given(o, OPT_TYPE, OPT_KV_TYPE);
    precision type = !given ? FP32 : given->choice ? FP16 : BF16;
    bool queries = o[OPT_TYPE].given;
    problem_sizes asked = sizes ? *sizes : requested_sizes(o);
    int status;

    memset(u, 0, sizeof *u);
    status = o[OPT_Q].given ? read_arrays(u, o, queries ? type : FP32, type)
             : sizes || is_random(o) ? problem_random(p, &asked)
                                     : problem_bundled(p);
    if (status == 0 && given)
        status = problem_narrow(p, type, queries, &u->narrow);
    if (u->narrow.overflowed) /* a warning, not an error */
        refused(0, given->name,
                "%zu of %zu numbers are too large for %s and became infinite",
                u->narrow.overflowed, u->narrow.size, precision_name(type));
    if (status == 0 && o[OPT_MASK].given)
        status = read_mask(u, o);
    if (status == 0 && o[OPT_SINK].given)
        status = read_sink(u, o[OPT_SINK].file);
    if (status == 0 && o[OPT_BLOCK_MASK].given)
        status = read_blocks(u, o[OPT_BLOCK_MASK].file, o[OPT_BLOCK_SIZE].size);
    if (status == 0)
        settle(o, u);
    p->M = o[OPT_BC].given ? MEMORY_UNBOUNDED : o[OPT_SRAM].size;
    return p->status = status;
}

int read_shaped(npy_array *a, const char *file, const npy_array *as)
{
    char given[NPY_SHAPE_MAX], wanted[NPY_SHAPE_MAX];

    if (npy_read(file, a))
        return 1;
    if (a->dims == as->dims &&
        memcmp(a->shape, as->shape, a->dims * sizeof *a->shape) == 0)
        return 0;
    return refused(2, file, "the shape is %s (%s is needed)",
                   npy_shape_text(a, given), npy_shape_text(as, wanted));
}

int user_problem_backward(user_problem *u, const char *dO)
{
    backward_problem *b = &u->b;
    npy_array given = {0};
    int status = backward_problem_set_up(b);

    if (status || !dO)
        return status;
    status = read_shaped(&given, dO, &b->forward.O);
    if (status == 0) {
        npy_free(&b->dO);
        b->dO = given;
    } else {
        npy_free(&given);
    }
    return b->forward.status = status;
}

void user_problem_free(user_problem *u)
{
    backward_free(&u->b);
    npy_free(&u->mask);
    npy_free(&u->sink);
    npy_free(&u->blocks);
    npy_free(&u->all_masks);
    free(u->narrow.bits);
    u->narrow.bits = NULL;
}
