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
#include <string.h>

#include "03_online_softmax/precision_loss.h"
#include "common/print/outside.h"
#include "common/print/report.h"
#include "docs/lab/measure.h"

enum { OF_N, OF_LINES, OF_TYPES, OF_REPEAT, OF_STEPS, OF_BC, OF_D, OPTIONS };
static const char *const names[OPTIONS] = {"N",     "ROWS", "TYPES", "REPEAT",
                                           "STEPS", "BC",   "D"};
enum { MOST = 64, LONGEST = 1 << 24, MOST_REPEATS = 10000, BLOCK = 64 };

/* An option's words. */
typedef struct {
    char text[2000];
    char *word[MOST];
    size_t n;
} list;

static list given[OPTIONS];

static int wrong(int option, const char *word, const char *allowed)
{
    return refused(2, "loss", "%s: %s is not allowed; allowed: %s",
                   names[option], shown(word).text, allowed);
}

static int split(int option, const char *value)
{
    list *l = &given[option];

    if (strlen(value) >= sizeof l->text)
        return refused(2, "loss", "%s: too long", names[option]);
    strcpy(l->text, value);
    l->n = 0;
    for (char *w = strtok(l->text, " "); w; w = strtok(NULL, " ")) {
        if (l->n == MOST)
            return refused(2, "loss", "%s: more than %d words", names[option],
                           MOST);
        l->word[l->n++] = w;
    }
    return 0;
}

/* --- What words mean; each returns 0, or 2 after one line on stderr ---------- */

static int size_of(int option, const char *word, size_t most, size_t *x)
{
    char allowed[60];

    if (size_from(word, x) && *x >= 1 && *x <= most)
        return 0;
    snprintf(allowed, sizeof allowed, "1 to %zu", most);
    return wrong(option, word, allowed);
}

static int type_of(const char *word, precision *type)
{
    for (*type = FP32; *type <= FP16; (*type)++)
        if (strcmp(word, precision_name(*type)) == 0)
            return 0;
    return wrong(OF_TYPES, word, "fp32 fp16 bf16");
}

/* file: is opened by softmax_of_file alone. */
static int kind_of_rows(const char *word, bool of_heads, score_rows *rows)
{
    static const char *const kinds[] = {
        "normal:", "sorted:", "uniform:", "file:"};
    float spread = 0;

    *rows = (score_rows){.name = word};
    for (int k = NORMAL; k <= (of_heads ? SORTED : OF_FILE); k++) {
        size_t n = strlen(kinds[k]);

        if (strncmp(word, kinds[k], n) != 0)
            continue;
        rows->kind = k;
        if (k == OF_FILE)
            return 0;
        if (!number_from(word + n, &spread) || !(spread > 0))
            break;
        rows->spread = (double)spread;
        return 0;
    }
    return wrong(OF_LINES, word,
                 of_heads
                     ? "normal:S sorted:S (S above 0)"
                     : "normal:S sorted:S uniform:S (S above 0) file:X.npy");
}

static int step_of(const char *word, bool *rounds)
{
    char all[400] = "";
    const char *name;

    for (size_t s = 0; (name = attention_of_lab(s, rounds)); s++) {
        if (strcmp(word, name) == 0)
            return 0;
        strcat(strcat(all, s ? " " : ""), name);
    }
    return wrong(OF_STEPS, word, all);
}

/* --- The tables --------------------------------------------------------------- */

static void print_line(const char *what, const char *rows, precision type,
                       const char *step, size_t n, size_t Bc, size_t times,
                       int seed, double relative, double largest)
{
    printf("%s\t%s\t%s\t%s\t%zu\t%zu\t%zu\t%d\t%.3e\t%.3e\n", what, rows,
           precision_name(type), step, n, Bc, times, seed, relative, largest);
    if (!isfinite(relative))
        fprintf(stderr, "loss: %s of %s in %s, N %zu: the error is %g\n", step,
                rows, precision_name(type), n, relative);
}

static int softmax_line(score_rows rows, precision type, size_t n, size_t times)
{
    row_loss loss[COMPARED];

    progress("%s in %s: %zu scores", rows.name, precision_name(type), n);
    if (softmax_loss(rows, type, n, times, BLOCK, loss))
        return 1;
    for (size_t s = 0; s < COMPARED; s++)
        print_line("softmax", rows.name, type, compared_steps[s]->name, n,
                   BLOCK, times, rows.kind == OF_FILE ? 0 : LOSS_SEED,
                   loss[s].relative, loss[s].largest);
    return 0;
}

/* The file has its own length, and its own number of rows. */
static int softmax_of_file(score_rows rows, precision type, size_t repeat)
{
    npy_array a;
    size_t n, times;
    int failed;

    if (npy_read_as(FP16, rows.name + strlen("file:"), &a))
        return 1;
    n = a.dims ? a.shape[a.dims - 1] : 1;
    times = n ? a.size / n : 0;
    rows.file = &a;
    failed = times == 0
                 ? refused(1, rows.name, "has no scores; a row needs one")
                 : softmax_line(rows, type, n,
                                repeat && repeat < times ? repeat : times);
    npy_free(&a);
    return failed;
}

/* Q, K, V and what the step stores are of that type: P and O, and S of standard
 * attention. m and l are fp32. */
static int attention_line(score_rows rows, precision type, const char *step,
                          size_t n, size_t Bc, size_t d, size_t repeat)
{
    bool sorted = rows.kind == SORTED;
    bool stores_S = strcmp(step, "standard_attention") == 0;
    lab_case c = {.Nq = sorted ? 1 : 8,
                  .Nk = n,
                  .d = d,
                  .sigma = rows.spread,
                  .order = sorted ? RISING : ANY_ORDER,
                  .Bc = Bc,
                  .inputs = type,
                  .P = type,
                  .O = type,
                  .stored = stores_S ? type : FP32};
    size_t times = repeat ? repeat : problems_of_lab(c.Nq);
    double relative, largest;

    progress("%s of %s in %s: %zu keys", step, rows.name, precision_name(type),
             n);
    if (measure_step(step, &c, times, &relative, &largest))
        return 1;
    print_line("attention", rows.name, type, step, n, Bc, times, LAB_SEED,
               relative, largest);
    return 0;
}

static bool is_first(int option, char *const word[OPTIONS])
{
    return word[option] == given[option].word[0];
}

/* One choice of a word of each option (NULL: the option has none). Nothing is
 * computed before all words are checked. */
static int combination(bool of_heads, bool checked, char *const word[OPTIONS],
                       size_t repeat)
{
    size_t n = 1, Bc = 1, d = 1;
    bool rounds = true;
    score_rows rows;
    precision type;

    if (kind_of_rows(word[OF_LINES], of_heads, &rows) ||
        type_of(word[OF_TYPES], &type) ||
        size_of(OF_N, word[OF_N], LONGEST, &n) ||
        (of_heads && (step_of(word[OF_STEPS], &rounds) ||
                      size_of(OF_BC, word[OF_BC], LONGEST, &Bc) ||
                      size_of(OF_D, word[OF_D], 1024, &d))))
        return 2;
    if (!checked)
        return 0;
    if (of_heads && type != FP32 && !rounds) {
        if (is_first(OF_N, word) && is_first(OF_LINES, word) &&
            is_first(OF_BC, word) && is_first(OF_D, word))
            fprintf(stderr, "loss: %s stores fp32 alone: left out in %s\n",
                    word[OF_STEPS], precision_name(type));
        return 0;
    }
    if (of_heads)
        return attention_line(rows, type, word[OF_STEPS], n, Bc, d, repeat);
    if (rows.kind != OF_FILE)
        return softmax_line(rows, type, n, repeat ? repeat : rows_of_length(n));
    return is_first(OF_N, word) /* once: N is the file's */
               ? softmax_of_file(rows, type, repeat)
               : 0;
}

/* All choices; N changes last. */
static int combinations(bool of_heads, bool checked, size_t repeat)
{
    size_t total = 1;
    int failed = 0;

    for (int o = 0; o < OPTIONS; o++)
        total *= given[o].n ? given[o].n : 1;
    for (size_t k = 0; k < total && !failed; k++) {
        char *word[OPTIONS] = {NULL};
        size_t rest = k;

        for (int o = OPTIONS - 1; o >= 0; o--)
            if (given[o].n) {
                word[o] = given[o].word[rest % given[o].n];
                rest /= given[o].n;
            }
        failed = combination(of_heads, checked, word, repeat);
    }
    return failed;
}

/* --- The program --------------------------------------------------------------- */

/* What is not given. */
static int set_defaults(bool of_heads)
{
    static const char *const of[2][OPTIONS] = {
        {"16 256 4096 65536 1048576", "normal:0.25 normal:4 sorted:4",
         "fp32 fp16 bf16", "0", "", "", ""},
        {"256 1024 4096", "normal:1 sorted:1", "fp32", "0",
         "standard_attention flash1 flash2", "64", "64"}};
    int failed = 0;

    for (int o = 0; o < OPTIONS && !failed; o++)
        if (given[o].n == 0)
            failed = split(o, of[of_heads][o]);
        else if (*of[of_heads][o] == '\0')
            failed = refused(2, "loss",
                             "%s: for attention; softmax takes N, "
                             "ROWS, TYPES and REPEAT",
                             names[o]);
    return failed;
}

/* The table of what the options name; they are used up. */
static int table_of(bool of_heads)
{
    size_t repeat = 0;
    int failed = set_defaults(of_heads);

    if (!failed && strcmp(given[OF_REPEAT].word[0], "0") != 0)
        failed =
            size_of(OF_REPEAT, given[OF_REPEAT].word[0], MOST_REPEATS, &repeat);
    for (int checked = 0; checked <= 1 && !failed; checked++)
        failed = combinations(of_heads, checked, repeat);
    memset(given, 0, sizeof given);
    return failed;
}

/* docs/precision.md names the commands. */
static int tables_of_page(void)
{
    int failed = split(OF_N, "64 1024 32768 1048576") ||
                 split(OF_LINES, "normal:0.25 sorted:4") ||
                 split(OF_REPEAT, "8") || table_of(false);

    return failed || split(OF_N, "1024") ||
           split(OF_BC, "1 4 16 64 256 1024") || split(OF_TYPES, "fp32 bf16") ||
           table_of(true);
}

int main(int argc, char **argv)
{
    bool of_heads = argc > 1 && strcmp(argv[1], "attention") == 0;
    int failed = 0;

    if (argc > 1 && !of_heads && strcmp(argv[1], "softmax") != 0)
        return refused(2, "loss",
                       "%s is not allowed; allowed: softmax, "
                       "attention",
                       shown(argv[1]).text);
    for (int k = 2; k < argc; k++) {
        int o = 0;

        while (o < OPTIONS && (strncmp(argv[k], names[o], strlen(names[o])) ||
                               argv[k][strlen(names[o])] != '='))
            o++;
        if (o == OPTIONS)
            return refused(2, "loss",
                           "%s is not allowed; allowed: N= ROWS= "
                           "TYPES= REPEAT= STEPS= BC= D=",
                           shown(argv[k]).text);
        if (split(o, argv[k] + strlen(names[o]) + 1))
            return 2;
    }
    puts("what\trows\tstorage\tstep\tn\tBc\trepetitions\tseed\trelative\tlarges"
         "t");
    failed = argc > 1 ? table_of(of_heads) : tables_of_page();
    progress_done();
    return failed ? failed : report_end(0);
}
