/*
 * A chapter's steps on the bundled layer (attention_lesson.h).
 */
#include "common/program/attention_lesson.h"

#include "common/problem/attention_arrays.h"
#include "common/program/attention_report.h"

static void print(const attention_lesson *shown, const layer *p, size_t M,
                  const measurement m[], size_t n, const attention_truth *truth)
{
    report_problem(p, M);
    puts("");
    if (shown->tables)
        shown->tables(m, n);
    else
        report_steps(m, n);
    report_truth(truth);
    puts("");
    shown->lesson(p, USUAL_M, m);
    puts("");
    next_step("%s", shown->next);
}

int show_lesson(const attention_lesson *shown)
{
    size_t M = shown->tables ? 0 : USUAL_M, n = 0;
    const attention_step *const *before = shown->before, *s = shown->own;
    measurement m[MOST_STEPS];
    attention_truth truth = {0};
    attention_arrays a;
    int status;

    if (shown->opening)
        shown->opening();
    status = arrays_bundled(&a);
    if (status == 0)
        status = truth_of(&a.problem, &truth);
    for (; status == 0 && *before && n < MOST_STEPS; before++)
        status = measure(&a.problem, *before, M, 3, &truth, &m[n++]);
    for (; status == 0 && s->name && n < MOST_STEPS; s++)
        status = measure(&a.problem, s, M, 3, &truth, &m[n++]);
    if (status == 0)
        print(shown, &a.problem, M, m, n, &truth);
    truth_free(&truth);
    arrays_free(&a);
    return report_end(status);
}
