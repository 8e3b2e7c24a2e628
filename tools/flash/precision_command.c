/* flash precision. `make plot-03` and `make plot-precision` draw its output.
 * docs/precision.md */
#include "tools/flash/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "03_online_softmax/precision_loss.h"
#include "tools/flash/attention_loss.h"
#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/lesson/attention/problem.h"

enum { LENGTHS, ROWS, TYPES, STEPS, KEYS, COLUMNS, LISTS };
enum { REPEAT = LISTS, SEED, CSV, OPTIONS };
enum {
    MOST_WORDS = 64,
    MOST_LENGTH = 1 << 24,
    MOST_COLUMNS = 1024,
    BLOCK = 64
};

typedef struct {
    const char *word;
    size_t size; /* for LENGTHS, KEYS, COLUMNS */
    precision type;
    const char *arrays; /* the arrays that are stored in this type */
    score_rows rows;
    unsigned heads; /* RANDOM to REAL, for attention */
    npy_array file; /* of file:X.npy */
    const attention_step *step;
} value;

typedef struct {
    value of[MOST_WORDS];
    size_t n;
    char *text; /* value.word points into this text */
} list;

typedef struct {
    const option *o;
    bool of_heads; /* attention, not softmax */
    list lists[LISTS];
    problem real; /* the bundled layer, for the rows "real" */
} request;

#define EACH(v, list)                                                          \
    for (const value *v = (list).of; v < (list).of + (list).n; v++)

/* --- Words ---------------------------------------------------------------- */

static const char *const kinds[] = {
    "normal:", "sorted:", "uniform:", "file:", NULL};
/* SINGLE, SORTED_KEYS and FALLING_KEYS have one query. */
enum { RANDOM, SORTED_KEYS, FALLING_KEYS, SINGLE, UNSCALED, REAL };
static const char *const head_kinds[] = {
    "normal:", "sorted:", "falling:", "single:", "unscaled:", "real", NULL};
/* The arrays in 16 bits, in addition to Q, K and V; S includes the P that
 * standard_attention stores in its place. "unrounded" compares with
 * float64 of the unrounded Q, K and V. */
static const char *const array_lists[] = {"QKV", "unrounded", "S", "P",
                                          "PO",  "POml",      NULL};

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool begins_rows(const char *text)
{
    for (unsigned k = NORMAL; k <= OF_FILE; k++)
        if (has_prefix(text, kinds[k]))
            return true;
    return false;
}

/* Returns the length of the first word of a list. A word ends at a comma or a
 * blank. But in a file's name a blank ends the word only before other rows. */
static size_t word_length(const char *text)
{
    bool is_file = has_prefix(text, kinds[OF_FILE]);
    size_t n = strcspn(text, " ,");
    size_t next = n + strspn(text + n, " ");

    while (is_file && text[next] && text[next] != ',' &&
           !begins_rows(text + next)) {
        n = next + strcspn(text + next, " ,");
        next = n + strspn(text + n, " ");
    }
    return n;
}

static bool read_rows(value *v, bool of_heads, uint64_t seed)
{
    const char *const *names = of_heads ? head_kinds : kinds;
    float spread = 0;

    for (unsigned k = 0; names[k]; k++) {
        const char *rest = v->word + strlen(names[k]);

        if (!has_prefix(v->word, names[k]))
            continue;
        v->rows = (score_rows){.name = v->word, .kind = k, .seed = seed};
        v->heads = k;
        if (of_heads && k == REAL)
            return !*rest;
        if (!of_heads && k == OF_FILE)
            return true;
        if (!number_from(rest, &spread) || spread <= 0)
            return false;
        v->rows.spread = (double)spread;
        return true;
    }
    return false;
}

/* Reads a type, and for attention also :ARRAYS. */
static bool read_type(value *v, bool of_heads)
{
    for (v->type = FP32; v->type <= FP16; v->type++) {
        size_t n = strlen(precision_name(v->type));

        if (strncmp(v->word, precision_name(v->type), n) != 0)
            continue;
        if (!v->word[n])
            return true;
        v->arrays = v->word + n + 1;
        for (size_t k = 0; of_heads && v->word[n] == ':' && array_lists[k]; k++)
            if (strcmp(v->arrays, array_lists[k]) == 0)
                return true;
    }
    return false;
}

/* If v->word is not an allowed step, writes the allowed steps to `allowed`. */
static bool read_step(value *v, char *allowed, size_t room)
{
    listed_step steps[MOST_LISTED];
    size_t n = forward_steps(steps, FP32);

    for (size_t k = 0; k < n; k++) {
        size_t used = strlen(allowed);

        v->step = steps[k].step;
        if (steps[k].is_variant)
            continue;
        if (strcmp(v->word, v->step->name) == 0)
            return true;
        snprintf(allowed + used, room - used, "%s%s", used ? " " : "",
                 v->step->name);
    }
    return false;
}

static bool read_size(value *v, size_t most, char *allowed, size_t room)
{
    snprintf(allowed, room, "1 to %zu", most);
    return size_from(v->word, &v->size) && v->size >= 1 && v->size <= most;
}

/* Returns NULL, or the allowed words if v->word is not allowed. */
static const char *read_word(value *v, const request *q, int which)
{
    static char allowed[400];
    bool known = false;

    allowed[0] = '\0';
    switch (which) {
    case ROWS:
        known = read_rows(v, q->of_heads, q->o[SEED].size);
        strcpy(allowed, q->of_heads ? "normal:S sorted:S falling:S single:S "
                                      "unscaled:S, S above 0; real"
                                    : "normal:S sorted:S uniform:S, S above 0; "
                                      "file:X.npy");
        break;
    case TYPES:
        known = read_type(v, q->of_heads);
        strcpy(allowed, "fp32 fp16 bf16");
        if (q->of_heads)
            strcat(allowed, ", each also with :QKV :unrounded :S :P :PO or "
                            ":POml");
        break;
    case STEPS:
        known = read_step(v, allowed, sizeof allowed);
        break;
    default:
        known = read_size(v, which == COLUMNS ? MOST_COLUMNS : MOST_LENGTH,
                          allowed, sizeof allowed);
    }
    return known ? NULL : allowed;
}

/* True if the lengths are those of a file or of the bundled layer. */
static bool has_own_length(const request *q, const value *rows)
{
    return q->of_heads ? rows->heads == REAL : rows->rows.kind == OF_FILE;
}

static int read_file(const request *q, value *v)
{
    npy_array *a = &v->file;
    size_t most = 0;

    if (npy_read_as(FP16, v->word + strlen(kinds[OF_FILE]), a))
        return 1;
    v->rows.file = a->data;
    if (a->dims && a->size)
        v->rows.row = a->shape[a->dims - 1];
    if (q->o[LENGTHS].given)
        EACH (n, q->lists[LENGTHS])
            most = max_size(most, n->size);
    if (v->rows.row && most <= v->rows.row)
        return 0;
    npy_free(a);
    if (v->rows.row)
        return refused(2, "--n",
                       "'%zu' is not allowed (allowed: 1 to %zu, the "
                       "scores of a row of %s)",
                       most, v->rows.row, shown(v->word).text);
    return refused(1, shown(v->word).text,
                   "has no rows of scores (one is needed)");
}

static int read_real(request *q)
{
    return q->real.Q.data ? 0 : problem_bundled(&q->real);
}

/* Returns 0, or an exit code after one line on stderr. */
static int read_list(request *q, int which)
{
    const char *name = q->o[which].name;
    list *l = &q->lists[which];

    l->text = strdup(q->o[which].file);
    if (!l->text)
        return refused(1, name, "no memory");
    for (char *w = l->text, *end; w += strspn(w, " ,"), *w; w = end) {
        value v = {.word = w};
        const char *allowed;

        end = w + word_length(w);
        if (*end)
            *end++ = '\0';
        allowed = read_word(&v, q, which);
        if (allowed)
            return refused(2, name, "'%s' is not allowed (allowed: %s)",
                           shown(w).text, allowed);
        if (l->n == MOST_WORDS)
            return refused(2, name, "too many words (%d are allowed)",
                           MOST_WORDS);
        if (which == ROWS && has_own_length(q, &v)) {
            int status = q->of_heads ? read_real(q) : read_file(q, &v);

            if (status)
                return status;
        }
        l->of[l->n++] = v;
    }
    return l->n ? 0 : refused(2, name, "no words (expected: a list)");
}

/* --- Lines ---------------------------------------------------------------- */

static int type_width(const request *q)
{
    size_t width = 5;

    EACH (type, q->lists[TYPES])
        width = max_size(width, strlen(type->word));
    return (int)width;
}

static void print_head(const request *q)
{
    if (q->o[CSV].given)
        puts("what,rows,storage,step,N,d,Bc,repetitions,seed,relative,largest");
    else
        printf("%-14s %-*s %-20s %7s %5s %7s %6s %9s\n", "rows", type_width(q),
               "type", "step", "N", "d", "Bc", "times", "error");
}

static void print_line(const request *q, const value *rows, const value *type,
                       const char *step, size_t n, size_t d, size_t Bc,
                       size_t times, double relative, double largest)
{
    progress_done();
    if (q->o[CSV].given)
        printf("%s,%s,%s,%s,%zu,%zu,%zu,%zu,%zu,%.3e,%.3e\n",
               q->of_heads ? "attention" : "softmax", rows->word, type->word,
               step, n, d, Bc, times, q->o[SEED].size, fabs(relative),
               fabs(largest));
    else
        printf("%-14s %-*s %-20s %7zu %5s %7zu %6zu %9s\n", rows->word,
               type_width(q), type->word, step, n,
               q->of_heads ? count_text(d).text : "-", Bc, times,
               error_text(relative).text);
    if (!isfinite(relative))
        fprintf(stderr, "%s: the error on %s in %s, N %zu, is %s\n", step,
                rows->word, type->word, n, error_text(relative).text);
}

static int softmax_lines(const request *q, const value *rows, const value *type,
                         size_t n, size_t times)
{
    row_loss loss[COMPARED];

    progress("%s in %s: %zu scores", rows->word, type->word, n);
    if (softmax_loss(rows->rows, type->type, n, times, BLOCK, loss, NULL))
        return 1;
    for (size_t s = 0; s < COMPARED; s++)
        print_line(q, rows, type, compared_steps[s]->name, n, 0, BLOCK, times,
                   loss[s].relative, loss[s].largest);
    return 0;
}

/* Measures the first n scores of each row of the file. */
static int softmax_of_file(const request *q, const value *rows, size_t n)
{
    size_t times = rows->file.size / rows->rows.row;
    int failed = 0;

    if (q->o[REPEAT].given && q->o[REPEAT].size < times)
        times = q->o[REPEAT].size;
    EACH (type, q->lists[TYPES])
        failed = failed || softmax_lines(q, rows, type, n, times);
    return failed;
}

/* Without --n measures 16, 32, 64, ... scores of each row, and then all. */
static int softmax_prefixes(const request *q, const value *rows)
{
    size_t n = 16, all = rows->rows.row;
    int failed = 0;

    if (q->o[LENGTHS].given) {
        EACH (length, q->lists[LENGTHS])
            failed = failed || softmax_of_file(q, rows, length->size);
        return failed;
    }
    for (; n < all && !failed; n *= 2)
        failed = softmax_of_file(q, rows, n);
    return failed || softmax_of_file(q, rows, all);
}

/* Without a list of arrays, P, O, and S in standard_attention have the type. m
 * and l are fp32. */
static void set_types(loss_case *c, const value *type, bool stores_S)
{
    const char *arrays = type->arrays ? type->arrays : "SPO";

    c->inputs = type->type;
    c->before = strcmp(arrays, "unrounded") == 0;
    c->P = strchr(arrays, 'P') ? type->type : FP32;
    c->O = strchr(arrays, 'O') ? type->type : FP32;
    c->stored = strchr(arrays, 'm') || (strchr(arrays, 'S') && stores_S)
                    ? type->type
                    : FP32;
}

static int attention_line(const request *q, const value *rows,
                          const value *type, const attention_step *step,
                          loss_case c)
{
    bool is_row = rows->heads >= SORTED_KEYS && rows->heads <= SINGLE;
    size_t times;
    step_loss loss;

    c.Nq = is_row ? 1 : 8;
    times = usual_problems(c.Nq);
    if (c.real) {
        c.Nq = c.real->each.Nq;
        c.Nk = c.real->each.Nk;
        c.d = c.real->each.d;
        times = heads_of(c.real);
    }
    c.sigma = rows->rows.spread;
    c.unscaled = rows->heads == UNSCALED;
    c.order = rows->heads == SORTED_KEYS    ? RISING
              : rows->heads == FALLING_KEYS ? FALLING
                                            : ANY_ORDER;
    set_types(&c, type, step->leaves == LEAVES_P);
    c.seed = rows->rows.seed;
    if (q->o[REPEAT].given && !(c.real && q->o[REPEAT].size > times))
        times = q->o[REPEAT].size;
    progress("%s of %s in %s: %zu keys", step->name, rows->word, type->word,
             c.Nk);
    if (attention_loss(&c, times, step, &loss))
        return 1;
    print_line(q, rows, type, step->name, c.Nk, c.d, c.Bc, times, loss.relative,
               loss.largest);
    return 0;
}

/* Only steps with counted traffic can round the arrays that they store. */
static bool has_type(const attention_step *step, const value *type)
{
    loss_case c;

    set_types(&c, type, true);
    return (c.P == FP32 && c.O == FP32 && c.stored == FP32) || is_counted(step);
}

static int attention_lines(const request *q, size_t n, const value *rows,
                           const value *type, const layer *real)
{
    int failed = 0;

    EACH (s, q->lists[STEPS])
        EACH (Bc, q->lists[KEYS])
            EACH (d, q->lists[COLUMNS]) {
                loss_case c = {
                    .Nk = n, .d = d->size, .Bc = Bc->size, .real = real};

                if (!failed && has_type(s->step, type))
                    failed = attention_line(q, rows, type, s->step, c);
            }
    return failed;
}

/* Measures the heads of the bundled layer, which have their own N and d. */
static int real_lines(const request *q, const value *rows)
{
    int failed = 0;

    EACH (type, q->lists[TYPES])
        failed = failed || attention_lines(q, 0, rows, type, &q->real.layer);
    return failed;
}

static int print_lines(const request *q)
{
    const list *lists = q->lists;
    int failed = 0;

    EACH (s, lists[STEPS])
        EACH (t, lists[TYPES])
            if (!has_type(s->step, t))
                fprintf(stderr, "%s: stores only fp32 (left out for %s)\n",
                        s->word, t->word);
    print_head(q);
    EACH (n, lists[LENGTHS])
        EACH (rows, lists[ROWS])
            EACH (type, lists[TYPES]) {
                size_t times = q->o[REPEAT].given ? q->o[REPEAT].size
                                                  : rows_of_length(n->size);

                if (failed || has_own_length(q, rows))
                    continue;
                failed = q->of_heads
                             ? attention_lines(q, n->size, rows, type, NULL)
                             : softmax_lines(q, rows, type, n->size, times);
            }
    EACH (rows, lists[ROWS])
        if (!failed && has_own_length(q, rows))
            failed =
                q->of_heads ? real_lines(q, rows) : softmax_prefixes(q, rows);
    return failed;
}

/* --- The command ---------------------------------------------------------- */

static void fill_options(option o[], bool of_heads)
{
    o[LENGTHS] = (option)FILE_OPTION(
        "n", "LIST", "lengths: scores of a row, keys of a head");
    o[ROWS] = (option)FILE_OPTION(
        "rows", "LIST",
        of_heads ? "normal:S sorted:S falling:S single:S unscaled:S real"
                 : "normal:S sorted:S uniform:S file:X.npy");
    o[TYPES] = (option)FILE_OPTION(
        "types", "LIST",
        of_heads ? "fp32 fp16 bf16; bf16:P, bf16:PO: only these arrays"
                 : "fp32 fp16 bf16");
    o[STEPS] =
        (option)FILE_OPTION("steps", "LIST", "attention: names of steps");
    o[KEYS] = (option)FILE_OPTION("bc", "LIST", "attention: keys of a tile");
    o[COLUMNS] = (option)FILE_OPTION("d", "LIST", "attention: head sizes");
    o[REPEAT] =
        (option)SIZE_OPTION("repeat", "n", 1, 0,
                            "rows or heads (default: as many as take seconds)");
    o[SEED] = (option)SIZE_OPTION("seed", "n", 0, of_heads ? 1 : LOSS_SEED,
                                  "seed of the random rows or heads");
    o[CSV] = (option)FLAG_OPTION("csv", "comma-separated values");
    o[LENGTHS].file = of_heads ? "256 1024 4096" : "16 256 4096 65536 1048576";
    o[ROWS].file =
        of_heads ? "normal:1 sorted:1" : "normal:0.25 normal:4 sorted:4";
    o[TYPES].file = of_heads ? "fp32" : "fp32 fp16 bf16";
    o[STEPS].file = "standard_attention flash1 flash2";
    o[KEYS].file = o[COLUMNS].file = "64";
}

static int run_request(const option o[], bool of_heads)
{
    static request q; /* large for a stack */
    int last = of_heads ? LISTS : STEPS, status = 0;

    q.o = o;
    q.of_heads = of_heads;
    for (int k = 0; k < last && status == 0; k++)
        status = read_list(&q, k);
    if (status == 0)
        status = print_lines(&q);
    if (status == 0 && !o[CSV].given)
        next_step(of_heads ? "make plot-precision" : "make plot-03");
    problem_free(&q.real);
    q.real = (problem){0};
    for (size_t k = 0; k < q.lists[ROWS].n; k++)
        npy_free(&q.lists[ROWS].of[k].file);
    for (int k = 0; k < LISTS; k++) {
        free(q.lists[k].text);
        q.lists[k].text = NULL;
        q.lists[k].n = 0;
    }
    return status;
}

int precision_command(int argc, char **argv)
{
    const char about[] =
        "flash precision softmax|attention: measures errors against float64.\n"
        "A list has blanks or commas between its words. S is the standard "
        "deviation of\nthe scores; uniform:S is from -S to S.";
    const char examples[] =
        "  ./flash precision softmax --n 100,1000 --rows normal:2,sorted:4\n"
        "  ./flash precision attention --steps flash1,flash2 --bc 1,16,64 "
        "--csv\n";
    bool of_heads = argc > 1 && strcmp(argv[1], "attention") == 0;
    bool is_named = of_heads || (argc > 1 && strcmp(argv[1], "softmax") == 0);
    bool is_help = argc > 1 && argv[1][0] == '-';
    listed_step steps[MOST_LISTED];
    option o[OPTIONS + 1] = {{0}};
    int status;

    if (softmax_steps(steps) == 0)
        return refused(2, "precision",
                       "exists only for chapters 01 to 06 (use ./flash)");
    if (!is_named && !is_help)
        return refused(2, "precision",
                       "'%s' is not allowed (allowed: softmax attention)",
                       argc > 1 ? shown(argv[1]).text : "");
    fill_options(o, of_heads || !is_named);
    for (int k = STEPS; k < LISTS && is_named && !of_heads; k++)
        o[k].help = NULL;
    if (!options_parse(o, about, examples, argc - is_named, argv + is_named,
                       &status))
        return status;
    if (!is_named)
        return refused(2, "precision",
                       "an argument is missing (softmax or attention)");
    return run_request(o, of_heads);
}
