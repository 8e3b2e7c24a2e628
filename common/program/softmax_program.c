/*
 * The options of chapters 01 to 03 and what they lead to (softmax_program.h).
 */
#include "common/program/softmax_program.h"

#include "common/print/report.h"

#include <stdio.h>
#include <string.h>

enum { STEP = FILES, LIST, TRACE, CSV, BLOCK, OPTIONS };
enum { MOST_STEPS = 16, DEFAULT_BLOCK = 64 };

static int list(const softmax_step *steps)
{
    for (const softmax_step *s = steps; s->name; s++)
        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    return 0;
}

/* Options that need or exclude each other: 0, or 2 after saying so. */
static int check(const option *o, const char *in_blocks)
{
    static const int apart[][2] = {{IN, LIST},     {IN, TRACE}, {IN, CSV},
                                   {LIST, TRACE},  {LIST, CSV}, {TRACE, CSV},
                                   {STEP, LIST},   {STEP, CSV}, {BLOCK, LIST},
                                   {BLOCK, TRACE}, {BLOCK, CSV}};
    const char *step = o[STEP].choices[o[STEP].choice];

    for (size_t k = 0; k < sizeof(apart) / sizeof(apart[0]); k++)
        if (options_exclude(o, apart[k][0], apart[k][1]))
            return 2;
    if (o[IN].given != o[OUT].given)
        return option_refuse(&o[o[IN].given ? OUT : IN],
                             "is missing (--in and --out go together)");
    if (o[LSE_OUT].given && !o[IN].given)
        return option_refuse(&o[LSE_OUT], "only with --in and --out");
    if (o[BLOCK].given && strcmp(step, in_blocks) != 0)
        return option_refuse(&o[BLOCK], "%s has no blocks (only %s has)", step,
                             in_blocks);
    return 0;
}

static int obey(const option *o, const softmax_chapter *chapter)
{
    const softmax_step *step = &chapter->steps[o[STEP].choice];
    const softmax_step *only = o[STEP].given ? step : NULL;
    size_t block = chapter->in_blocks ? o[BLOCK].size : DEFAULT_BLOCK;

    if (o[LIST].given)
        return list(chapter->steps);
    if (o[TRACE].given)
        return chapter->trace(only);
    if (o[CSV].given)
        return chapter->csv();
    if (o[IN].given)
        return softmax_files(step, block, o);
    return chapter->lesson(only, block);
}

int softmax_program(const softmax_chapter *chapter, int argc, char **argv)
{
    const char *names[MOST_STEPS + 1] = {NULL};
    size_t steps = 0;
    int status;

    while (steps < MOST_STEPS && chapter->steps[steps].name) {
        names[steps] = chapter->steps[steps].name;
        steps++;
    }
    if (chapter->steps[steps].name) {
        fprintf(stderr, "softmax_program: more than %d steps\n", MOST_STEPS);
        return report_end(1);
    }

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

    if (options_parse(o, chapter->about, chapter->example, argc, argv,
                      &status)) {
        status = check(o, chapter->in_blocks);
        if (status == 0)
            status = obey(o, chapter);
    }
    return report_end(status);
}
