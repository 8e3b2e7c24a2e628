/*
 * The program of chapters 04 to 06 (attention_program.h).
 */
#include "common/attention_program.h"

#include "common/attention_report.h"
#include "common/attention_request.h"
#include "common/attention_sweep.h"
#include "common/npy_header.h"
#include "common/report.h"

static int print_list(const attention_step *s)
{
    for (; s->name; s++)
        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    return 0;
}

/* Measures steps first .. last, each with the best of that many runs. */
static int measure_steps(const request *r, const attention_problem *p,
                         size_t first, size_t last, size_t runs,
                         const attention_truth *truth, measurement m[])
{
    int status = 0;

    for (size_t k = first; k <= last && status == 0; k++)
        status = measure(p, r->steps[k], request_sram(r), runs, truth,
                         &m[k - first]);
    return status;
}

/* The tables of one step (first = last) or of all. */
static int print_tables(const request *r, const attention_problem *p,
                        size_t first, size_t last, size_t runs)
{
    const option *o = r->o;
    measurement m[MOST_STEPS];
    attention_truth truth;
    int status = truth_of(p, &truth);

    if (status == 0)
        status = measure_steps(r, p, first, last, runs, &truth, m);
    if (status == 0) {
        report_problem(p, request_sram(r));
        puts("");
        if (r->chapter->tables)
            r->chapter->tables(m, last - first + 1);
        else
            report_steps(m, last - first + 1);
        report_truth(&truth);
        if (r->bare) {
            puts("");
            r->chapter->lesson(p, o[OPT_SRAM].size, m);
        }
    }
    truth_free(&truth);
    return status;
}

static int show(const request *r)
{
    random_sizes sizes = request_sizes(r);
    size_t first = 0, last = 0;
    attention_arrays a;
    int status = request_problem(r, request_is_random(r) ? &sizes : NULL, &a);

    while (r->steps[last + 1])
        last++;
    if (r->o[OPT_STEP].given)
        first = last = r->o[OPT_STEP].choice;
    if (status == 0)
        status = print_tables(r, &a.problem, first, last, 3);
    if (status == 0) {
        puts("");
        next_step("%s", r->bare ? r->chapter->next : "./run --help");
    }
    arrays_free(&a);
    return status;
}

static int write_outputs(const request *r, const attention_arrays *a)
{
    const option *out = &r->o[OPT_OUT], *lse = &r->o[OPT_LSE];
    char shape[NPY_SHAPE_MAX];

    if (lse->given ? npy_write_both(out->file, &a->O, lse->file, &a->L)
                   : npy_write(out->file, &a->O))
        return 1;
    printf("wrote %s %s", out->file,
           npy_shape_text(&a->O, shape, sizeof shape));
    if (lse->given)
        printf(" and %s %s", lse->file,
               npy_shape_text(&a->L, shape, sizeof shape));
    puts("");
    return 0;
}

/* One step over the problem, its outputs into files. */
static int convert(const request *r)
{
    random_sizes sizes = request_sizes(r);
    size_t step = request_step(r);
    attention_arrays a;
    int status = request_problem(r, request_is_random(r) ? &sizes : NULL, &a);

    if (status == 0)
        status = print_tables(r, &a.problem, step, step, 1);
    if (status == 0) {
        puts("");
        status = write_outputs(r, &a);
    }
    arrays_free(&a);
    return status;
}

int attention_program(const attention_chapter *chapter, int argc, char **argv)
{
    request r;
    int status;

    if (!request_read(&r, chapter, argc, argv, &status))
        return report_end(status);
    if (r.o[OPT_LIST].given)
        status = print_list(chapter->own);
    else if (r.o[OPT_TRACE].given)
        status = chapter->trace();
    else if (r.o[OPT_CSV].given)
        status = print_csv(&r);
    else
        status = r.o[OPT_OUT].given ? convert(&r) : show(&r);
    return report_end(status);
}
