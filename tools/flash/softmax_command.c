#include "tools/flash/commands.h"

#include <string.h>

#include "common/judge/reference.h"
#include "common/print/outside.h"
#include "common/print/report.h"

enum { IN, OUT, LSE_OUT, STEP, BLOCK, NO_ERROR, OPTIONS };

static const option_rule rules[] = {
    {LSE_OUT, LSE_OUT, ONLY_WITH, OUT, OUT},
    {0},
};

static int report(const softmax_step *step, const option o[],
                  const npy_array *x, size_t read, double seconds)
{
    size_t n = x->shape[x->dims - 1];
    char shape[NPY_SHAPE_MAX];
    softmax_verdict v;

    if (x->size == 0) {
        printf("%s: shape %s has no scores, nothing to compute\n", step->name,
               npy_shape_text(x, shape));
        return 0;
    }
    printf("%s: %s row%s of %s score%s, each read %.3g times and written once\n"
           "time %s\n",
           step->name, count_text(x->size / n).text, x->size == n ? "" : "s",
           count_text(n).text, n == 1 ? "" : "s",
           (double)read / (double)x->size, time_text(seconds).text);
    if (o[NO_ERROR].given)
        return 0;
    progress("float64");
    if (softmax_judge(&v, step, o[BLOCK].size, x->data, x->size / n, n))
        return 1;
    progress_done();
    printf("rows lost: %zu; the worst %srow's error against float64: %s\n",
           v.lost, v.lost ? "other " : "", error_text(v.error).text);
    return 0;
}

static int run(const softmax_step *step, const option o[])
{
    const option *const files[] = {&o[IN], &o[OUT], &o[LSE_OUT]};
    npy_array x = {0}, y = {0}, L = {0};
    int status = outputs_check(files, 1, 2);

    if (status == 0)
        status = npy_read(o[IN].file, &x);
    if (status == 0 && x.dims == 0)
        status = refused(2, o[IN].file,
                         "shape () has no last axis (1 to %d dimensions)",
                         NPY_MAX_DIMS);
    if (status == 0)
        status = npy_new(&y, x.dims, x.shape) ||
                 (o[LSE_OUT].given && npy_new(&L, x.dims - 1, x.shape));
    if (status == 0) {
        const npy_array *const written[] = {&y, &L};
        size_t n = x.shape[x.dims - 1];
        /* A row without scores has L = -inf. */
        size_t rows = n ? x.size / n : L.size;
        double start = stopwatch();
        size_t read;

        progress("%s", step->name);
        read =
            softmax_rows(step, o[BLOCK].size, x.data, y.data, L.data, rows, n);
        progress_done();
        status = report(step, o, &x, read, stopwatch() - start);
        if (status == 0)
            status = outputs_write(&files[1], written, 2);
    }
    npy_free(&x);
    npy_free(&y);
    npy_free(&L);
    return status;
}

int softmax_command(int argc, char **argv)
{
    const char about[] =
        "Computes softmax over the last axis of an array, by any step.";
    const char examples[] =
        "  ./flash softmax --in common/data/q.npy --out build/y.npy\n"
        "  ./flash softmax --in common/data/q.npy --step naive_softmax\n";
    const char *names[MOST_LISTED + 1];
    listed_step list[MOST_LISTED];
    size_t n = softmax_steps(list);
    option o[OPTIONS + 1] = {{0}};
    const softmax_step *step;
    int status;

    if (n == 0)
        return refused(2, argv[0],
                       "chapter 07 has no softmax steps (use ./flash)");
    names_of(names, list, n);
    o[IN] = (option)FILE_OPTION("in", "X.npy", "the array to read");
    o[OUT] = (option)FILE_OPTION("out", "Y.npy", "output, the weights");
    o[LSE_OUT] = (option)FILE_OPTION("lse", "L.npy", "output, ln sum e^x");
    o[STEP] = (option)CHOICE_OPTION("step", "NAME", names, n - 1,
                                    "the step (default: merged_softmax):");
    o[BLOCK] = (option)SIZE_OPTION("block", "n", 1, 64,
                                   "scores per block of merged_softmax (64)");
    o[NO_ERROR] = (option)FLAG_OPTION("no-error", "do not compute the error");
    if (!options_parse(o, about, examples, argc, argv, &status))
        return status;
    step = list[o[STEP].choice].softmax;
    if (options_obey(o, rules))
        return 2;
    if (!o[IN].given)
        return refused(2, o[IN].name, "is missing (the array to read)");
    if (o[BLOCK].given && strcmp(step->name, "merged_softmax") != 0)
        return refused(2, o[BLOCK].name,
                       "%s has no blocks (only merged_softmax has)",
                       step->name);
    return run(step, o);
}
