/*
 * Precision loss of one's own: the error of softmax or of attention against
 * float64, for lengths, rows and storage types that the caller names. Prints a
 * tab-separated table, which docs/lab/loss.gp draws (make plot-03, make
 * plot-precision). Without a word: the tables of docs/precision.md.
 *
 *     build/docs/lab/loss softmax   [N=] [ROWS=] [TYPES=] [REPEAT=]
 *     build/docs/lab/loss attention [N=] [ROWS=] [TYPES=] [REPEAT=]
 *                                   [STEPS=] [BC=] [D=]
 *
 * A value is a list of words with blanks between them. relative and largest:
 * see precision_loss.h for softmax, measure.h for attention.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "03_online_softmax/precision_loss.h"
#include "common/print/outside.h"
#include "common/print/report.h"
#include "docs/lab/measure.h"

enum { MOST = 64, BLOCK = 64 };

/* A word, and what it means. */
typedef struct {
    const char *word;
    size_t size;     /* of N, REPEAT, BC, D */
    precision type;  /* of TYPES */
    score_rows rows; /* of ROWS */
    bool rounds;     /* of STEPS: the step rounds what it stores */
} value;

typedef struct {
    const char *name;
    size_t most;           /* of a size; 0: another kind of word */
    const char *if_not[2]; /* softmax's, attention's; NULL: it has none */
    value given[MOST];
    size_t n;
} option;

enum { LENGTH, KINDS, TYPES, STEP, KEYS, COLUMNS, REPEAT, OPTIONS };
static option options[OPTIONS] = {
    {"N", 1 << 24, {"16 256 4096 65536 1048576", "256 1024 4096"}, {{0}}, 0},
    {"ROWS",
     0,
     {"normal:0.25 normal:4 sorted:4", "normal:1 sorted:1"},
     {{0}},
     0},
    {"TYPES", 0, {"fp32 fp16 bf16", "fp32"}, {{0}}, 0},
    {"STEPS", 0, {NULL, "standard_attention flash1 flash2"}, {{0}}, 0},
    {"BC", 1 << 24, {NULL, "64"}, {{0}}, 0},
    {"D", 1024, {NULL, "64"}, {{0}}, 0},
    {"REPEAT", 10000, {"", ""}, {{0}}, 0},
};

#define EACH(v, of)                                                            \
    for (value *v = options[of].given; v < options[of].given + options[of].n;  \
         v++)

/* --- Words ---------------------------------------------------------------- */

static bool is_rows(value *v, bool of_heads)
{
    static const char *const kinds[] = {
        "normal:", "sorted:", "uniform:", "file:"};
    float spread = 0;
    unsigned last = of_heads ? SORTED : OF_FILE;

    for (unsigned k = NORMAL; k <= last; k++) {
        size_t n = strlen(kinds[k]);

        if (strncmp(v->word, kinds[k], n) != 0)
            continue;
        if (k != OF_FILE && (!number_from(v->word + n, &spread) || spread <= 0))
            return false;
        v->rows = (score_rows){v->word, k, (double)spread, NULL};
        return true;
    }
    return false;
}

/* NULL, or what is allowed in place of v->word. */
static const char *instead_of(value *v, int of, bool of_heads)
{
    static char allowed[400];
    const char *name;

    if (of == KINDS)
        return is_rows(v, of_heads) ? NULL
               : of_heads
                   ? "normal:S sorted:S (S above 0)"
                   : "normal:S sorted:S uniform:S (S above 0) file:X.npy";
    if (of == TYPES) {
        for (v->type = FP32; v->type <= FP16; v->type++)
            if (strcmp(v->word, precision_name(v->type)) == 0)
                return NULL;
        return "fp32 fp16 bf16";
    }
    allowed[0] = '\0';
    for (size_t s = 0;
         of == STEP && (name = attention_of_lab(s, &v->rounds)) != NULL; s++) {
        if (strcmp(v->word, name) == 0)
            return NULL;
        strcat(strcat(allowed, s ? " " : ""), name);
    }
    if (of != STEP) {
        if (size_from(v->word, &v->size) && v->size >= 1 &&
            v->size <= options[of].most)
            return NULL;
        snprintf(allowed, sizeof allowed, "1 to %zu", options[of].most);
    }
    return allowed;
}

/* Reads the words of a list. Returns 0, or 2 after one line on stderr. */
static int give(int of, bool of_heads, const char *list)
{
    option *o = &options[of];
    char *text = strdup(list); /* kept: words point into it */

    if (!text)
        return refused(2, "loss", "no memory");
    o->n = 0;
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) {
        value v = {.word = w};
        const char *allowed = o->n == MOST ? "64 words"
                              : !o->if_not[of_heads]
                                  ? "N ROWS TYPES REPEAT"
                                  : instead_of(&v, of, of_heads);

        if (allowed)
            return refused(2, "loss", "%s: %s is not allowed; allowed: %s",
                           o->name, shown(w).text, allowed);
        o->given[o->n++] = v;
    }
    return 0;
}

/* --- Lines ---------------------------------------------------------------- */

static void print_line(const char *what, const value *rows, const value *type,
                       const char *step, size_t n, size_t Bc, size_t times,
                       int seed, double relative, double largest)
{
    printf("%s\t%s\t%s\t%s\t%zu\t%zu\t%zu\t%d\t%.3e\t%.3e\n", what, rows->word,
           type->word, step, n, Bc, times, seed, relative, largest);
    if (!isfinite(relative))
        fprintf(stderr, "loss: %s of %s in %s, N %zu: the error is %g\n", step,
                rows->word, type->word, n, relative);
}

static int softmax_lines(const value *rows, const value *type, size_t n,
                         size_t times)
{
    row_loss loss[COMPARED];

    progress("%s in %s: %zu scores", rows->word, type->word, n);
    if (softmax_loss(rows->rows, type->type, n, times, BLOCK, loss))
        return 1;
    for (size_t s = 0; s < COMPARED; s++)
        print_line("softmax", rows, type, compared_steps[s]->name, n, BLOCK,
                   times, LOSS_SEED, loss[s].relative, loss[s].largest);
    return 0;
}

/* The file has its own length, and its own number of rows. */
static int softmax_of_file(value rows, size_t repeat)
{
    npy_array a;
    size_t n, times;
    int failed = 0;

    if (npy_read_as(FP16, rows.word + strlen("file:"), &a))
        return 1;
    n = a.dims ? a.shape[a.dims - 1] : 1;
    times = n ? a.size / n : 0;
    rows.rows.file = a.data;
    if (times == 0)
        failed = refused(1, rows.word, "has no scores; a row needs one");
    EACH (type, TYPES)
        failed =
            failed || softmax_lines(&rows, type, n,
                                    repeat && repeat < times ? repeat : times);
    npy_free(&a);
    return failed;
}

/* Q, K, V and what the step stores are of that type: P and O, and S of standard
 * attention. m and l are fp32. */
static int attention_line(const value *rows, const value *type,
                          const char *step, lab_case c, size_t times)
{
    bool sorted = rows->rows.kind == SORTED;
    double relative, largest;

    c.Nq = sorted ? 1 : 8;
    c.sigma = rows->rows.spread;
    c.order = sorted ? RISING : ANY_ORDER;
    c.inputs = c.P = c.O = type->type;
    c.stored = strcmp(step, "standard_attention") == 0 ? type->type : FP32;
    times = times ? times : problems_of_lab(c.Nq);
    progress("%s of %s in %s: %zu keys", step, rows->word, type->word, c.Nk);
    if (measure_step(step, &c, times, &relative, &largest))
        return 1;
    print_line("attention", rows, type, step, c.Nk, c.Bc, times, LAB_SEED,
               relative, largest);
    return 0;
}

static int table_of(bool of_heads)
{
    size_t repeat = options[REPEAT].n ? options[REPEAT].given->size : 0;

    for (int o = 0; o < OPTIONS; o++)
        if (options[o].n == 0 && options[o].if_not[of_heads])
            give(o, of_heads, options[o].if_not[of_heads]);
    EACH (s, STEP)
        EACH (t, TYPES)
            if (t->type != FP32 && !s->rounds)
                fprintf(stderr, "loss: %s stores fp32 alone: left out in %s\n",
                        s->word, t->word);
    EACH (n, LENGTH)
        EACH (r, KINDS)
            EACH (t, TYPES) {
                size_t times = repeat ? repeat : rows_of_length(n->size);

                if (!of_heads && r->rows.kind != OF_FILE &&
                    softmax_lines(r, t, n->size, times))
                    return 1;
                EACH (s, STEP)
                    EACH (Bc, KEYS)
                        EACH (d, COLUMNS)
                            if ((t->type == FP32 || s->rounds) &&
                                attention_line(r, t, s->word,
                                               (lab_case){.Nk = n->size,
                                                          .d = d->size,
                                                          .Bc = Bc->size},
                                               repeat))
                                return 1;
            }
    EACH (r, KINDS)
        if (r->rows.kind == OF_FILE && softmax_of_file(*r, repeat))
            return 1;
    return 0;
}

/* docs/precision.md names the commands. */
static int tables_of_page(void)
{
    give(LENGTH, false, "64 1024 32768 1048576");
    give(KINDS, false, "normal:0.25 sorted:4");
    give(REPEAT, false, "8");
    if (table_of(false))
        return 1;
    give(LENGTH, true, "1024");
    give(KINDS, true, "normal:1 sorted:1");
    give(TYPES, true, "fp32 bf16");
    give(KEYS, true, "1 4 16 64 256 1024");
    give(REPEAT, true, "");
    return table_of(true);
}

int main(int argc, char **argv)
{
    bool of_heads = argc > 1 && strcmp(argv[1], "attention") == 0;
    int failed;

    if (argc > 1 && !of_heads && strcmp(argv[1], "softmax") != 0)
        return refused(2, "loss",
                       "%s is not allowed; allowed: softmax attention",
                       shown(argv[1]).text);
    for (int k = 2; k < argc; k++) {
        size_t name = strcspn(argv[k], "="), o = 0;

        while (o < OPTIONS && (strlen(options[o].name) != name ||
                               strncmp(argv[k], options[o].name, name) != 0))
            o++;
        if (o == OPTIONS || argv[k][name] != '=')
            return refused(2, "loss",
                           "%s is not allowed; allowed: N= ROWS= "
                           "TYPES= REPEAT= STEPS= BC= D=",
                           shown(argv[k]).text);
        if (give((int)o, of_heads, argv[k] + name + 1))
            return 2;
    }
    puts("what\trows\tstorage\tstep\tn\tBc\trepetitions\tseed\trelative\t"
         "largest");
    failed = argc > 1 ? table_of(of_heads) : tables_of_page();
    progress_done();
    return report_end(failed);
}
