/*
 * The options of chapters 01 to 03 and what they lead to (softmax_program.h).
 */
#include "common/program/softmax_program.h"

#include "common/judge/reference.h"
#include "common/print/report.h"
#include "common/program/options.h"

#include <stdio.h>
#include <string.h>

enum { IN, OUT, LSE_OUT, STEP, LIST, TRACE, CSV, BLOCK, OPTIONS };
enum { MOST_STEPS = 16, DEFAULT_BLOCK = 64 };

/* --- Files ----------------------------------------------------------------- */

static void report(const softmax_step *step, const npy_array *x,
                   const counts *c, double seconds)
{
    size_t n = x->shape[x->dims - 1];
    char shape[NPY_SHAPE_MAX];

    if (x->size == 0)
        printf("%s: shape %s holds no scores, nothing to compute\n", step->name,
               npy_shape_text(x, shape));
    else
        printf("%s: %s rows of %s scores, each read %.3g times and written "
               "once\ntime %s\n",
               step->name, count_text(x->size / n).text, count_text(n).text,
               (double)c->read[ALGORITHM] / (double)x->size,
               time_text(seconds).text);
}

static int softmax_files(const softmax_step *step, size_t block,
                         const option o[])
{
    npy_array x = {0}, y = {0}, L = {0};
    int status = outputs_check(&o[IN], 1, 2);

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
        size_t n = x.shape[x.dims - 1];
        /* With n = 0 the rows are not worth counting, but each has its L. */
        size_t rows = n ? x.size / n : L.size;
        double start = stopwatch();
        counts c = softmax_rows(step, block, x.data, y.data, L.data, rows, n);

        report(step, &x, &c, stopwatch() - start);
        status = outputs_write(&o[OUT], (const npy_array *[]){&y, &L}, 2);
    }
    npy_free(&x);
    npy_free(&y);
    npy_free(&L);
    return status;
}

/* --- The program ----------------------------------------------------------- */

static const option_rule rules[] = {
    {IN, IN, NOT_WITH, LIST, CSV},
    {LIST, CSV, NOT_WITH, LIST, CSV},
    {BLOCK, BLOCK, NOT_WITH, LIST, CSV},
    {STEP, STEP, NOT_WITH, LIST, LIST},
    {STEP, STEP, NOT_WITH, CSV, CSV},
    {LSE_OUT, LSE_OUT, ONLY_WITH, IN, IN},
    {0},
};

/* Options that need or exclude each other: 0, or 2 after saying so. */
static int check(const option *o, const char *in_blocks)
{
    const char *step = o[STEP].choices[o[STEP].choice];

    if (options_obey(o, rules))
        return 2;
    if (o[IN].given != o[OUT].given)
        return refused(2, o[o[IN].given ? OUT : IN].name,
                       "is missing (--in and --out go together)");
    if (o[BLOCK].given && strcmp(step, in_blocks) != 0)
        return refused(2, o[BLOCK].name, "%s has no blocks (only %s has)", step,
                       in_blocks);
    return 0;
}

static int obey(const option *o, const softmax_chapter *chapter)
{
    const softmax_step *step = &chapter->steps[o[STEP].choice];
    const softmax_step *only = o[STEP].given ? step : NULL;
    size_t block = chapter->in_blocks ? o[BLOCK].size : DEFAULT_BLOCK;

    for (const softmax_step *s = chapter->steps; o[LIST].given && s->name; s++)
        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    return o[LIST].given    ? 0
           : o[TRACE].given ? chapter->trace(only)
           : o[CSV].given   ? chapter->csv()
           : o[IN].given    ? softmax_files(step, block, o)
                            : chapter->lesson(only, block);
}

int softmax_program(const softmax_chapter *chapter, int argc, char **argv)
{
    const char *names[MOST_STEPS + 1] = {NULL};
    size_t steps = 0;
    int status;

    for (; steps < MOST_STEPS && chapter->steps[steps].name; steps++)
        names[steps] = chapter->steps[steps].name;

    option o[OPTIONS + 1] = {
        [IN] =
            FILE_OPTION("in", "X.npy", "softmax over this array's last axis"),
        [OUT] = FILE_OPTION("out", "Y.npy", "where the weights go"),
        [LSE_OUT] = FILE_OPTION("lse", "L.npy", "where ln sum e^x goes"),
        [STEP] = CHOICE_OPTION("step", "NAME", names, steps - 1,
                               "the step to run; the last one if not given"),
        [LIST] = FLAG_OPTION("list", "the steps: name, type, idea"),
        [TRACE] = FLAG_OPTION("trace", "a worked example, value by value"),
        [CSV] = FLAG_OPTION("csv", "the data of the chapter's plot"),
        [BLOCK] = SIZE_OPTION("block", "n", 1, DEFAULT_BLOCK,
                              "elements per block (64 if not given)"),
    };
    if (!chapter->in_blocks)
        o[BLOCK] = (option){0}; /* the table ends before it */

    if (options_parse(o, chapter->about, chapter->example, argc, argv, &status))
        status = check(o, chapter->in_blocks) ? 2 : obey(o, chapter);
    return report_end(status);
}
