/*
 * What --q, --out, --csv and the like ask for (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/program/outputs.h"

static int check(const option o[])
{
    if (options_exclude(o, OPT_CSV, OPT_OUT) || files_check(o))
        return 2;
    if (o[OPT_LSE].given && !o[OPT_OUT].given)
        return option_refuse(&o[OPT_LSE], "only with --out");
    if (asks_files(o) && !o[OPT_OUT].given && !o[OPT_CSV].given)
        return option_refuse(&o[OPT_OUT],
                             "is missing: where is O to go? (or --csv)");
    return outputs_check(&o[OPT_Q], OPT_OUT - OPT_Q, 2);
}

/* One step writes. How far off it is would take float64 longer to say. */
static int write(const request *r)
{
    const option *o = r->o;
    random_sizes sizes = asked_sizes(o);
    measurement m;
    attention_arrays a;
    int status = problem_arrays(o, asks_random(o) ? &sizes : NULL, &a);

    if (status == 0)
        status = measure(&a.problem, r->steps[r->step], r->M, 1, NULL, &m);
    if (status == 0) {
        print_tables(r, &a.problem, &m, 1, NULL);
        status = outputs_write(o[OPT_OUT].file, &a.O, o[OPT_LSE].file, &a.L);
    }
    arrays_free(&a);
    return status;
}

int attention_files(const request *r)
{
    int status = check(r->o);

    if (status != 0)
        return status;
    return r->o[OPT_CSV].given ? print_csv(r) : write(r);
}
