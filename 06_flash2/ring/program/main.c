/*
 * The program of ring/: one process a rank, begun by mpirun.
 *
 *     sh 06_flash2/ring/mpirun.sh 4 build/06_flash2/ring/run
 *
 * docs/ring.md
 */
#include "06_flash2/ring/program/asked.h"
#include "06_flash2/ring/program/lesson.h"
#include "06_flash2/ring/program/measure.h"
#include "06_flash2/ring/program/sink.h"
#include "06_flash2/ring/together.h"
#include "common/print/outside.h"
#include "common/print/report.h"

#include <stdlib.h>

static int list_steps(MPI_Comm comm)
{
    table t = {.used = 0};
    int r;

    MPI_Comm_rank(comm, &r);
    table_row(&t, "step|idea");
    for (const ring_step *s = ring_steps; s->name; s++)
        table_row(&t, "%s|%s", s->name, s->idea);
    if (r == 0)
        table_print(&t);
    return 0;
}

/* One step; O into a file if it is asked for. */
static int run_one(MPI_Comm comm, const option o[], const source *s,
                   const ring_problem *p)
{
    const ring_step *step = ask_step(o);
    outcome found;
    rank me;
    int status = measure(&me, comm, p, step, s, &found);

    if (status == 0 && o[ASK_OUT].given)
        status = sink_write(&me, s, step->owns, o[ASK_OUT].file,
                            o[ASK_LSE].given ? o[ASK_LSE].file : NULL);
    rank_end(&me);
    if (status == 0)
        say_one(comm, step, &found);
    if (status == 0 && me.r == 0 && o[ASK_OUT].given)
        printf("wrote %s%s%s\n", shown(o[ASK_OUT].file).text,
               o[ASK_LSE].given ? " and " : "",
               o[ASK_LSE].given ? shown(o[ASK_LSE].file).text : "");
    return status;
}

static int run(MPI_Comm comm, int argc, char **argv)
{
    option o[ASKED + 1];
    ring_problem p;
    source s;
    char line[200];
    int status, P;
    bool one, fits = true;

    if (!ask(comm, argc, argv, o, &status))
        return status;
    if (o[ASK_LIST].given)
        return list_steps(comm);
    status = ask_source(comm, o, &s, &p);
    if (status)
        return status;
    MPI_Comm_size(comm, &P);
    if (o[ASK_BACKWARD].given) {
        status = lesson_back(comm, &s, &p);
        source_close(&s);
        return status;
    }
    one = o[ASK_STEP].given || o[ASK_OUT].given;
    for (const ring_step *k = ring_steps; k->name && !one && fits; k++)
        fits = !too_large(k, &p, (size_t)P, line);
    if (!fits || (one && refused(ask_step(o), &p, (size_t)P, line)))
        status = fail_together(comm, 2, line);
    else if (o[ASK_CSV].given)
        status = csv_lines(comm, &s, &p, one ? ask_step(o) : NULL);
    else
        status = one ? run_one(comm, o, &s, &p) : lesson(comm, &s, &p);
    source_close(&s);
    return status;
}

int main(int argc, char **argv)
{
    int status;

    setenv("NO_COLOR", "1", 0); /* mpirun lends each rank a terminal */
    MPI_Init(&argc, &argv);
    status = report_end(run(MPI_COMM_WORLD, argc, argv));
    MPI_Finalize();
    return status;
}
