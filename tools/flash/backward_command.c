#include "tools/flash/commands.h"

#include "common/print/report.h"

enum { GRAD_OUT = PROBLEM_OPTIONS, GRAD_Q, GRAD_K, GRAD_V, STEP, OPTIONS };

static const backward_step *chosen(const option o[])
{
    bool tiled = options_given(o, OPT_BR, OPT_SRAM);
    listed_step list[MOST_LISTED];
    size_t n = backward_steps(list);
    size_t k = o[STEP].given ? o[STEP].choice
                             : step_at(list, n, fastest_backward(tiled));

    return list[k].back;
}

static int run(const option o[])
{
    const option *const files[] = {
        &o[OPT_Q],    &o[OPT_K],          &o[OPT_V],    &o[OPT_MASK],
        &o[OPT_SINK], &o[OPT_BLOCK_MASK], &o[GRAD_OUT], &o[GRAD_Q],
        &o[GRAD_K],   &o[GRAD_V]};
    bool writes = options_given(o, GRAD_Q, GRAD_V);
    const backward_step *step = chosen(o);
    fitted_step with;
    backward_measurement m;
    user_problem u;
    problem *p = &u.b.forward;

    if (check_tiles(o, step->name, step->tiles, step->formula != NULL))
        return 2;
    if (user_problem_of(&u, o, NULL) == 0 &&
        user_problem_backward(&u, o[GRAD_OUT].file) == 0)
        p->status = outputs_check(files, 7, 3);
    if (p->status == 0)
        step = fit_backward(&with, &u, step);
    if (p->status == 0)
        measure_backward_runs(&m, &u.b, step, writes ? 1 : 3);
    if (p->status == 0) {
        const npy_array *const written[] = {&u.b.dQ, &u.b.dK, &u.b.dV};

        if (!o[STEP].given)
            print_chosen(step->name);
        print_user_problem(&u);
        print_measured_backward(&m, 1);
        print_known_heads(&u.b);
        p->status = outputs_write(&files[7], written, 3);
    }
    if (p->status == 0)
        next_step("./flash %s --help", writes ? "judge" : "backward");
    user_problem_free(&u);
    return p->status;
}

int backward_command(int argc, char **argv)
{
    const char about[] =
        "Computes the gradients of Q, K and V from dO by any backward step.";
    const char examples[] =
        "  ./flash backward --q common/data/q.npy --k common/data/k.npy \\\n"
        "      --v common/data/v.npy --causal --grad-q build/dQ.npy\n"
        "  ./flash backward --n 500 --d 64 --step flash2_backward --sram "
        "8192\n";
    const char *names[MOST_LISTED + 1];
    listed_step list[MOST_LISTED];
    option o[OPTIONS + 1] = {{0}};
    int status;

    names_of(names, list, backward_steps(list));
    problem_options(o);
    o[OPT_TYPE].help = o[OPT_KV_TYPE].help = NULL;
    o[GRAD_OUT] = (option)FILE_OPTION("grad-out", "dO.npy",
                                      "(B, Hq, Nq, dv); random if omitted");
    o[GRAD_Q] = (option)FILE_OPTION("grad-q", "dQ.npy", "output, shape of Q");
    o[GRAD_K] = (option)FILE_OPTION("grad-k", "dK.npy", "output, shape of K");
    o[GRAD_V] = (option)FILE_OPTION("grad-v", "dV.npy", "output, shape of V");
    o[STEP] = (option)CHOICE_OPTION("step", "NAME", names, 0,
                                    "the step (default: the fastest):");
    if (!options_parse(o, about, examples, argc, argv, &status))
        return status;
    return problem_check(o) ? 2 : run(o);
}
