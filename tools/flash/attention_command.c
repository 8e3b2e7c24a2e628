#include "tools/flash/commands.h"

#include "common/print/report.h"

enum { OUT = PROBLEM_OPTIONS, LSE_OUT, STEP, TYPE, NO_ERROR, OPTIONS };

static const option_rule rules[] = {
    {LSE_OUT, LSE_OUT, ONLY_WITH, OUT, OUT},
    {0},
};

/* Returns the step that --step names, or the fastest for the problem. */
static const attention_step *chosen(const option o[], const layer *l)
{
    bool tiled = options_given(o, OPT_BR, OPT_SRAM);
    bool blocks = o[OPT_BLOCK_MASK].given;
    listed_step list[MOST_LISTED];
    size_t n = forward_steps(list, step_type(o[TYPE].choice));
    size_t k = o[STEP].given
                   ? o[STEP].choice
                   : step_at(list, n, fastest_forward(l, tiled, blocks));

    return list[k].step;
}

static void print_all(const option o[], const user_problem *u,
                      const measurement *m)
{
    const problem *p = &u->b.forward;

    if (!o[STEP].given)
        print_chosen(m->step->name);
    if (options_given(o, OPT_TYPE, OPT_KV_TYPE))
        printf("%sK, V: %s; %zu of %zu numbers were rounded to it\n",
               o[OPT_TYPE].given ? "Q, " : "",
               precision_name(p->layer.each.K.type), u->narrow.rounded,
               u->narrow.size);
    print_user_problem(u);
    if (o[OPT_Q].given && p->layer.Hk > p->layer.each.Nk)
        prose(
            "K has more heads than keys. If it is (B, N, H, d), swap its axes "
            "1 and 2, and those of Q and V: "
            "np.ascontiguousarray(k.swapaxes(1, 2)).");
    print_measured(m, 1);
    print_error_rows(p);
}

static int run(const option o[])
{
    const option *const files[] = {
        &o[OPT_Q],    &o[OPT_K],          &o[OPT_V], &o[OPT_MASK],
        &o[OPT_SINK], &o[OPT_BLOCK_MASK], &o[OUT],   &o[LSE_OUT]};
    const attention_step *step;
    fitted_step with;
    measurement m;
    user_problem u;
    problem *p = &u.b.forward;

    if (user_problem_of(&u, o, NULL) == 0) {
        step = chosen(o, &p->layer);
        p->status = check_tiles(o, step->name, step->tiles, is_counted(step));
        if (p->status == 0)
            p->status = outputs_check(files, 6, 2);
        step = p->status ? NULL : fit_forward(&with, &u, step);
        if (step)
            measure_runs(&m, p, step, o[OUT].given ? 1 : 3, !o[NO_ERROR].given);
    }
    if (p->status == 0) {
        const npy_array *const written[] = {&p->O, &p->L};

        print_all(o, &u, &m);
        p->status = outputs_write(&files[6], written, 2);
    }
    if (p->status == 0)
        next_step("./flash %s --help", o[OUT].given ? "judge" : "attention");
    user_problem_free(&u);
    return p->status;
}

int attention_command(int argc, char **argv)
{
    const char about[] =
        "Computes O = softmax(scale Q K^T) V and its logsumexp L, by any step.";
    const char examples[] =
        "  ./flash attention --q common/data/q.npy --k common/data/k.npy \\\n"
        "      --v common/data/v.npy --causal --out build/O.npy\n"
        "  ./flash attention --n 1000 --d 64 --step flash1 --sram 16384\n";
    const char *names[MOST_LISTED + 1];
    listed_step list[MOST_LISTED];
    option o[OPTIONS + 1] = {{0}};
    int status;

    names_of(names, list, forward_steps(list, step_type(0)));
    problem_options(o);
    o[OUT] = (option)FILE_OPTION("out", "O.npy", "output, (B, Hq, Nq, dv)");
    o[LSE_OUT] = (option)FILE_OPTION("lse", "L.npy", "output, (B, Hq, Nq)");
    o[STEP] = (option)CHOICE_OPTION("step", "NAME", names, 0,
                                    "the step (default: the fastest):");
    o[TYPE] = (option)CHOICE_OPTION("type", "TYPE", step_types, 0,
                                    "type of steps that support several:");
    o[NO_ERROR] = (option)FLAG_OPTION("no-error", "do not compute the error");
    if (steps_have_M)
        o[TYPE].help = NULL;
    if (!options_parse(o, about, examples, argc, argv, &status))
        return status;
    if (options_obey(o, rules) || problem_check(o))
        return 2;
    return run(o);
}
