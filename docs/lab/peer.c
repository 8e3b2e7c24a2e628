/*
 * Peers: found, checked, timed (peer.h).
 */
#include "docs/lab/peer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "docs/lab/bench_problem.h"
#include "docs/lab/peer_openblas.h"

static const double most_error = 1e-5; /* in fp32 it is below 2e-6 */

void peer_find(peer *who)
{
    const char *python = getenv("PYTHON"), *says = who->process.says;

    progress("looking for %s", who->name);
    if (who->apart)
        who->here =
            !peer_start(&who->process, python ? python : "python3", who->name);
    else
        who->here = (says = openblas_open()) != NULL;
    progress_done();
    if (who->here)
        printf("%s: %s\n", who->name, says);
    else
        printf("%s: not found%s%s (%s)\n", who->name, says ? ": " : "",
               says ? says : "", who->get);
}

/* It takes no further part. */
static void drop(peer *who)
{
    progress_done();
    fprintf(stderr, "bench_peers: %s: %s; no more of it\n", who->name,
            who->apart ? who->process.says : "it failed");
    who->here = false;
}

bool peer_is_right(peer *who, const layer *p, double *error, bool *is_wrong)
{
    int said = PEER_OK;

    progress("%s: %s", shape_text(p).text, who->name);
    fill(matrix_of(p->each.O.hbm.data, heads_of(p) * p->each.Nq, p->each.d),
         NAN);
    if (!who->apart)
        said = bench_run(p, &who->step) < 0 ? PEER_FAILED : PEER_OK;
    else if (!(said = peer_problem(&who->process, p)))
        said = peer_output(&who->process, p);
    progress_done();
    if (said == PEER_DECLINES) {
        printf("%s: left out: %s\n", who->name, who->process.says);
        return false;
    }
    *is_wrong = true;
    if (said == PEER_FAILED) {
        drop(who);
        return false;
    }
    *error = bench_error(p);
    *is_wrong = !(*error < most_error);
    if (*is_wrong)
        fprintf(stderr, "bench_peers: %s: %s: relative error %s: refused\n",
                who->name, shape_text(p).text, error_text(*error).text);
    return !*is_wrong;
}

/* Until the threads of this process sleep: idle ones spin for a while, and a
 * peer shall have all cores. Some are told never to sleep. */
static void rest(void)
{
    clock_t used = clock(), before = used - CLOCKS_PER_SEC;

    for (int i = 0; i < 50 && used - before > CLOCKS_PER_SEC / 2000; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        before = used;
        used = clock();
    }
}

double peer_seconds(peer *who, const layer *p, size_t runs)
{
    double seconds = -1;

    if (who->apart) {
        rest();
        if (peer_time(&who->process, p, runs, &seconds))
            seconds = -1;
    } else {
        if (runs > 1)
            bench_run(p, &who->step);
        seconds = bench_mean(p, &who->step, runs);
    }
    if (seconds < 0)
        drop(who);
    return seconds;
}

void peer_end(peer *who)
{
    if (who->apart)
        peer_stop(&who->process);
}
